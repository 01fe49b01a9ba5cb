import { chmod, lstat, rename } from 'node:fs/promises';
import { hasCode, PRIVATE_DIRECTORY } from '../../platform/files.ts';

/** Moves a file or directory as a whole, if it is there. One that may not be written cannot be given another parent: it is made writable first. */
export async function moveWhole(from: string | Buffer, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    // Somebody has removed it, or it was moved before.
    if (hasCode(error, 'ENOENT')) return;
    if (!hasCode(error, 'EACCES', 'EPERM') || !(await lstat(from)).isDirectory()) throw error;
    await chmod(from, PRIVATE_DIRECTORY);
    await rename(from, to);
  }
}
