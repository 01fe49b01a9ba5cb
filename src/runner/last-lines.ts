import type { FileHandle } from 'node:fs/promises';
import { belowPlace } from '../platform/agent-path.ts';
import { openSafely } from '../platform/read-safely.ts';

const CHUNK_BYTES = 256 * 1_024;
const NEWLINE = 10;

/** Where the last so many lines begin, looked for from the end. What has no end yet counts as a line. */
export async function lastLinesAt(path: string, count: number): Promise<number> {
  const found = await openSafely(belowPlace(path));
  if ('why' in found) return 0;
  await using handle = found.file;
  return await backFrom(handle, found.size, count);
}

async function backFrom(handle: FileHandle, size: number, count: number): Promise<number> {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size));
  // The end of the last line is not the beginning of another.
  let left = count;
  for (let end = size - 1; end > 0; ) {
    const start = Math.max(0, end - chunk.length);
    const { bytesRead } = await handle.read(chunk, 0, end - start, start);
    for (let at = chunk.subarray(0, bytesRead).lastIndexOf(NEWLINE); at !== -1; ) {
      left -= 1;
      if (left === 0) return start + at + 1;
      at = at === 0 ? -1 : chunk.lastIndexOf(NEWLINE, at - 1);
    }
    end = start;
  }
  return 0;
}
