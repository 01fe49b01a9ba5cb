import { readRegular } from '../platform/read-safely.ts';

const MOST_BYTES = 64 * 1024;

/** A small file that somebody else may have written. What is no plain file, such as a pipe that never ends, is as good as none. */
export async function readPlain(path: string): Promise<string | undefined> {
  const read = await readRegular(path, MOST_BYTES);
  return 'bytes' in read ? read.bytes.toString('utf8') : undefined;
}
