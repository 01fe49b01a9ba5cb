import { createReadStream } from 'node:fs';
import { Fault } from '../../../domain/fault.ts';
import { LIMITS } from '../../../domain/limits.ts';
import type { Order } from '../order.ts';

/** The prompt from wherever the caller keeps it: the command line itself, a file, or standard input. Said twice, it is refused. */
export async function promptOf({ input, local, io }: Order): Promise<string | undefined> {
  const said = [
    ['the prompt in its place', local['words']],
    ['--prompt', input['prompt']],
    ['--prompt-file', local['promptFile']],
  ].filter((way): way is [string, string] => typeof way[1] === 'string');
  if (said.length > 1) throw new Fault('invalid', `${said.map(([way]) => way).join(' and ')} were both given: say it once`);
  const [[way, value] = ['', undefined]] = said;
  if (value === undefined) return undefined;
  if (value === '-') return readText(io.stdin(), way === '--prompt-file' || way === '--prompt' ? `${way} -` : '-');
  return way === '--prompt-file' ? readText(createReadStream(value), `--prompt-file ${value}`) : value;
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
