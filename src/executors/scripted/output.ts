import { writeSync } from 'node:fs';
import type { AgentEvent } from '../executor.ts';

const stdout = 1;
const chunkBytes = 64 * 1024;
const floodLineBytes = 1_000;
const event = (text: string): string => `${JSON.stringify({ type: 'said', text } satisfies AgentEvent)}\n`;

/** Writes synchronously, so that lines keep their order and survive a crash right after. */
export const print = (value: AgentEvent): void => write(Buffer.from(`${JSON.stringify(value)}\n`));

export const say = (text: string): void => print({ type: 'said', text });

/** Numbered lines of exactly this many bytes in all, so that a reader can detect lost, doubled and torn lines. */
export function flood(bytes: number): void {
  const lines = Math.max(1, Math.floor(bytes / floodLineBytes));
  const lastBytes = bytes - (lines - 1) * floodLineBytes;
  let chunk = '';
  for (let n = 1; n <= lines; n++) {
    chunk += padded(`flood ${n} `, n === lines ? lastBytes : floodLineBytes);
    if (chunk.length < chunkBytes && n < lines) continue;
    write(Buffer.from(chunk));
    chunk = '';
  }
}

/** One line of this many bytes. */
export function longLine(bytes: number): void {
  const [head = '', tail = ''] = event('|').split('|');
  write(Buffer.from(head));
  const piece = Buffer.alloc(chunkBytes, 'x');
  for (let left = bytes - head.length - tail.length; left > 0; left -= piece.length) write(piece.subarray(0, left));
  write(Buffer.from(tail));
}

/** Noise of all byte values, the same each time, then an end of line. */
export function binary(bytes: number): void {
  let seed = 0x2545f491;
  for (let left = bytes; left > 0; left -= chunkBytes) {
    const noise = Buffer.alloc(Math.min(left, chunkBytes));
    for (let index = 0; index < noise.length; index++) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      noise[index] = seed >>> 24;
    }
    write(noise);
  }
  write(Buffer.from('\n'));
}

const padded = (text: string, bytes: number): string => event(text + '.'.repeat(Math.max(0, bytes - event(text).length)));

function write(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(stdout, bytes, at);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5); // the pipe is full
    }
  }
}
