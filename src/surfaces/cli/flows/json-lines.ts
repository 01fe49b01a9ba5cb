import { Fault } from '../../../domain/fault.ts';

export interface NumberedLine {
  readonly number: number;
  readonly bytes: Uint8Array;
}

const LF = 0x0a;

/** Splits a stream into lines, holding no more than one of them. A line over the limit is refused as soon as it is. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array | string>, mostBytes: number): AsyncGenerator<NumberedLine> {
  let number = 1;
  let held: Buffer[] = [];
  let heldBytes = 0;
  const hold = (piece: Buffer) => {
    heldBytes += piece.length;
    if (heldBytes > mostBytes) throw new Fault('invalid', `line ${number} is longer than ${mostBytes} bytes`, { line: number });
    held.push(piece);
  };
  for await (const chunk of chunks) {
    let rest = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let at = rest.indexOf(LF); at !== -1; at = rest.indexOf(LF)) {
      hold(rest.subarray(0, at));
      yield { number, bytes: Buffer.concat(held) };
      number += 1;
      held = [];
      heldBytes = 0;
      rest = rest.subarray(at + 1);
    }
    if (rest.length > 0) hold(Buffer.from(rest));
  }
  if (heldBytes > 0) yield { number, bytes: Buffer.concat(held) };
}

/** The object a line holds; undefined for an empty line. */
export function objectOf({ number, bytes }: NumberedLine): Record<string, unknown> | undefined {
  const refuse = (why: string, cause?: unknown) => new Fault('invalid', `line ${number} ${why}`, { line: number }, { cause });
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
  } catch (error) {
    throw refuse('is not UTF-8 text', error);
  }
  if (text === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refuse(`is not JSON: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refuse('is not a JSON object');
  return value as Record<string, unknown>;
}
