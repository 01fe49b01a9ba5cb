import { type FileHandle, open } from 'node:fs/promises';
import { hasCode } from '../platform/files.ts';

const CHUNK_BYTES = 256 * 1_024;
const NEWLINE = 10;

/** Where the last so many lines begin, looked for from the end. What has no end yet counts as a line. */
export async function lastLinesAt(path: string, count: number): Promise<number> {
  try {
    await using handle = await open(path, 'r');
    const found = await handle.stat();
    return found.isFile() ? await backFrom(handle, found.size, count) : 0;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return 0;
    throw error;
  }
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
