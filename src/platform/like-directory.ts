import { fchmodSync, fchownSync, statSync } from 'node:fs';
import { PRIVATE_FILE } from './files.ts';

const READ_BY_OTHERS = 0o044;

/**
 * Where root has given a directory to another user, or lets everybody read it, a file it makes in there is like its directory:
 * whoever looks there is to read what was written for them. For anybody but root nothing changes.
 */
export function likeDirectorySync(file: number, directory: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid, mode } = statSync(directory);
  if ((mode & READ_BY_OTHERS) !== 0) fchmodSync(file, PRIVATE_FILE | (mode & READ_BY_OTHERS));
  if (uid !== 0) fchownSync(file, uid, gid);
}
