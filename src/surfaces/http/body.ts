import type { IncomingMessage, ServerResponse } from 'node:http';
import { Fault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Door, WebContext } from './web.ts';

/** The JSON object of a request. */
export async function jsonBody(incoming: IncomingMessage, longest?: number): Promise<Record<string, unknown>> {
  const body = valueOf(incoming, await ownText(incoming, longest ?? mostOf(incoming as Partial<Door>)));
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Fault('invalid', 'the body is not a JSON object');
  return body as Record<string, unknown>;
}

/** The JSON of a request; nothing at all is an empty object. Size and depth are bounded before anything is built from it. */
export async function jsonValue(asked: WebContext): Promise<unknown> {
  const incoming = asked.env.incoming as IncomingMessage;
  return valueOf(incoming, await boundedText(asked.req.raw, asked.env));
}

function valueOf({ headers }: IncomingMessage, text: string): unknown {
  const { 'content-type': type } = headers;
  if (text === '' && type === undefined) return {};
  if (!/^application\/json(?:\s*;|$)/i.test(type ?? ''))
    throw new Fault('invalid', `the body is ${type ?? 'of no type'}: send application/json`, { status: 415 });
  assertShallow(text);
  return parsed(text);
}

/** By the door of runs less comes in than by that of their owner. */
const mostOf = ({ isForRuns }: Partial<Door>): number => (isForRuns ? LIMITS.runRequestBytes : LIMITS.requestBytes).value;
const refuse = (longest: number) => new Fault('invalid', `the body is longer than ${longest} bytes`, { status: 413 });

/** Read from Node itself: a request as browsers know it, with a stream as they know it, costs more than all the rest of it. */
function ownText(incoming: IncomingMessage, longest: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const over = (end: () => void) => {
      incoming.off('data', take).off('end', whole).off('error', gone).off('close', gone);
      end();
    };
    const take = (part: Buffer) => {
      bytes += part.byteLength;
      parts.push(part);
      // What follows is not read: whoever sends it is told at once.
      if (bytes > longest) over(() => reject((incoming.pause(), refuse(longest))));
    };
    const whole = () => over(() => resolve(Buffer.concat(parts).toString('utf8')));
    const gone = () => over(() => reject(new Fault('unavailable', 'the client has gone before its request was whole')));
    if (Number(incoming.headers['content-length'] ?? 0) > longest) return reject(refuse(longest));
    if (incoming.readableEnded) return resolve('');
    incoming.on('data', take).on('end', whole).on('error', gone).on('close', gone);
  });
}

const DISCARD_MS = 500;

/**
 * What comes after the answer is read and thrown away for a moment, so that the client hears the answer and the connection
 * can be used again; whoever goes on sending is cut off.
 */
export function discardRest(incoming: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (incoming.complete || incoming.destroyed) return;
    const timer = setTimeout(() => incoming.complete || incoming.socket.destroySoon(), DISCARD_MS).unref();
    incoming.once('end', () => clearTimeout(timer)).resume();
  });
}

async function boundedText(request: Request, { incoming, isForRuns }: WebContext['env']): Promise<string> {
  const most = mostOf({ isForRuns: isForRuns === true });
  if (Number(incoming.headers['content-length'] ?? 0) > most) throw refuse(most);
  if (!request.body) return '';
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of request.body) {
    bytes += part.byteLength;
    if (bytes > most) throw refuse(most);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Counted, not parsed: a parser that recurses is not asked about ten thousand brackets. */
export function assertShallow(text: string): void {
  const most = LIMITS.jsonLevels.value;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charCodeAt(at);
    if (inString) {
      if (letter === 92) at += 1;
      else if (letter === 34) inString = false;
    } else if (letter === 34) inString = true;
    else if (letter === 91 || letter === 123) {
      depth += 1;
      if (depth > most) throw new Fault('invalid', `the body is nested more than ${most} levels deep`);
    } else if (letter === 93 || letter === 125) depth -= 1;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Fault('invalid', `the body is not JSON: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}
