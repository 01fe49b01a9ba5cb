import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from 'node:fs';

const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The whole of a short file in a place where others write too; undefined where it is missing, too long or cannot be read.
 * What is no plain file is neither followed nor waited for. Synchronous: a few short calls cost less than as many trips to
 * another thread.
 */
export function plainTextSync(path: string, most: number): string | undefined {
  // An error costs ten times as much as the question.
  if (!existsSync(path)) return undefined;
  try {
    const file = openSync(path, FLAGS);
    try {
      const found = fstatSync(file);
      if (!found.isFile() || found.size > most) return undefined;
      const bytes = Buffer.allocUnsafe(found.size);
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
