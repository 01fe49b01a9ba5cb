import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { Fault, isFault } from '../domain/fault.ts';
import { hasCode, PRIVATE_FILE } from '../platform/files.ts';

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const FLAGS = { read: O_RDONLY, append: O_WRONLY | O_APPEND | O_CREAT } as const;

/**
 * Opens an ordinary file and nothing else, because a link could point anywhere and a pipe would block.
 * Undefined if the file to read does not exist.
 */
export async function openPlain(path: string, mode: keyof typeof FLAGS): Promise<FileHandle | undefined> {
  const handle = await open(path, FLAGS[mode] | O_NOFOLLOW | O_NONBLOCK, PRIVATE_FILE).catch((error: unknown) => {
    if (mode === 'read' && hasCode(error, 'ENOENT')) return undefined;
    throw toFault(error, path);
  });
  if (handle === undefined || (await handle.stat()).isFile()) return handle;
  await handle.close();
  throw notPlainFault(path);
}

export const notPlainFault = (path: string): Fault =>
  new Fault('forbidden', `${path} is a link or not a file, expected an ordinary file`, { path });

export function toFault(error: unknown, path: string): unknown {
  if (isFault(error) || !(error instanceof Error) || !('code' in error)) return error;
  if (hasCode(error, 'ELOOP', 'ENXIO', 'EISDIR')) return notPlainFault(path);
  const advice = hasCode(error, 'ENOSPC', 'EDQUOT') ? 'free some space and fleet goes on' : 'check the disk and its permissions';
  return new Fault('unavailable', `${path}: ${error.message}; ${advice}`, { path }, { cause: error });
}
