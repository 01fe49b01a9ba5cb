import { createReadStream } from 'node:fs';
import { Fault } from '../../../domain/fault.ts';
import { LIMITS } from '../../../domain/limits.ts';
import type { Order } from '../order.ts';

/** The prompt from wherever the caller keeps it: the flag itself, a file, or standard input. */
export async function promptOf({ input, local, io }: Order): Promise<string | undefined> {
  const { prompt } = input;
  const { promptFile: file } = local;
  if (typeof file === 'string') {
    if (prompt !== undefined) throw new Fault('invalid', '--prompt and --prompt-file were both given: say it once');
    return file === '-' ? readText(io.stdin(), '--prompt-file -') : readText(createReadStream(file), `--prompt-file ${file}`);
  }
  if (prompt === '-') return readText(io.stdin(), '--prompt -');
  return typeof prompt === 'string' ? prompt : undefined;
}

/** Reads no further than a prompt may go, whatever is at the other end. */
async function readText(chunks: AsyncIterable<Uint8Array | string>, label: string): Promise<string> {
  const most = LIMITS.promptBytes.value;
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      const piece = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk);
      bytes += piece.length;
      if (bytes > most) throw new Fault('invalid', `${label}: is longer than ${most} bytes, the most a prompt may have`);
      pieces.push(piece);
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  } catch (error) {
    if (error instanceof Fault) throw error;
    const why = error instanceof TypeError ? 'it is not UTF-8 text' : messageOf(error);
    throw new Fault('invalid', `${label}: cannot be read: ${why}`, {}, { cause: error });
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
