import { Fault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Asked } from './web.ts';

/** The JSON object of a request. */
export async function jsonBody(asked: Asked): Promise<Record<string, unknown>> {
  const body = await jsonValue(asked);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Fault('invalid', 'the body is not a JSON object');
  return body as Record<string, unknown>;
}

/** The JSON of a request; nothing at all is an empty object. Size and depth are bounded before anything is built from it. */
export async function jsonValue(asked: Asked): Promise<unknown> {
  const { 'content-type': type, 'content-length': length } = asked.env.incoming.headers;
  const text = await boundedText(asked.req.raw, Number(length ?? 0));
  if (text === '' && type === undefined) return {};
  if (!/^application\/json(?:\s*;|$)/i.test(type ?? ''))
    throw new Fault('invalid', `the body is ${type ?? 'of no type'}: send application/json`, { status: 415 });
  assertShallow(text);
  return parsed(text);
}

async function boundedText(request: Request, length: number): Promise<string> {
  const most = LIMITS.requestBytes.value;
  const refuse = () => new Fault('invalid', `the body is longer than ${most} bytes`, { status: 413 });
  if (length > most) throw refuse();
  if (!request.body) return '';
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of request.body) {
    bytes += part.byteLength;
    if (bytes > most) throw refuse();
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
