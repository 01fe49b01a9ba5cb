import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { StreamFrame } from './protocol.ts';
import type { Accident } from './provider-faults.ts';

/** How an answer is sent. */
export interface DeliveryOptions {
  readonly paceMs: number;
  /** The accident in the middle of the answer. */
  readonly accident?: Accident | undefined;
  /** The event that reports the accident, if it is one that the stream reports. */
  readonly broken: StreamFrame;
  readonly headers: Readonly<Record<string, string>>;
}

export const sendJson = (
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void => void response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(body));

/** Sends the events, or half of them if there is an accident. After `hang` or `stall` the client must close. */
export async function sendEvents(
  response: ServerResponse,
  frames: readonly StreamFrame[],
  manner: DeliveryOptions,
): Promise<void> {
  const { accident, paceMs, broken, headers } = manner;
  if (accident === 'hang') return;
  response.writeHead(200, { ...headers, 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const sent = accident === undefined ? frames : frames.slice(0, Math.max(1, Math.ceil(frames.length / 2)));
  for (const [at, frame] of sent.entries()) {
    if (at > 0 && paceMs > 0) await pause(paceMs);
    if (response.destroyed) return;
    response.write(textOf(frame));
  }
  if (accident === 'stall') return;
  if (accident === 'drop') return void response.write('', () => response.destroy());
  if (accident === 'malformed') response.write('event: message_delta\ndata: {"type": "message_del\n\ndata: {{{\n\n');
  if (accident === 'stream_error') response.write(textOf(broken));
  response.end();
}

/** Sends an answer that is not streamed, likewise. */
export async function sendWhole(response: ServerResponse, body: object, manner: DeliveryOptions): Promise<void> {
  const { accident, paceMs, headers } = manner;
  if (accident === 'hang') return;
  if (paceMs > 0) await pause(paceMs);
  if (accident === undefined) return sendJson(response, 200, body, headers);
  const text = JSON.stringify(body);
  response.writeHead(200, { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.write(text.slice(0, Math.ceil(text.length / 2)));
  if (accident === 'stall') return;
  // Shorter than content-length, so that the client notices the missing part.
  response.write('', () => response.destroy());
}

function textOf({ event, data }: StreamFrame): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}
