import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

const MOST_BYTES = 64 * 1024;
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/** A small file that somebody else may have written. What is no plain file, such as a pipe that never ends, is as good as none. */
export async function readPlain(path: string): Promise<string | undefined> {
  const file = await open(path, READ).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size > MOST_BYTES) return undefined;
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
