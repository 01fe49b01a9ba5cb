import { chmodSync, lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PRIVATE_DIRECTORY } from '../../platform/files.ts';
import type { Site } from '../site.ts';

/** Looked at without a break. Asking for each by itself costs ten times as much. */
const PER_TURN = 256;

/**
 * What git does not see in the directories of a checkout: their modes, those of files but for the right to run them, and pipes,
 * sockets and devices. Directories get back the mode they were made with; the others go, and a checkout writes files again.
 * `files` are the names in our index, one character for each byte.
 */
export async function restoreOwn(site: Site, files: readonly string[]): Promise<void> {
  const mask = ~process.umask();
  const modes = [0o666 & mask, 0o777 & mask];
  // Behind a link in the place of a directory lies what is not ours to touch.
  const real = new Set<string>();
  await each(directoriesOf(files), (name) => {
    if (name !== '' && !real.has(parentOf(name))) return;
    const isReal = restoreDirectory(pathOf(site, name), name === '' ? PRIVATE_DIRECTORY : 0o777 & mask);
    if (isReal) real.add(name);
  });
  await each(files, (name) => {
    if (!real.has(parentOf(name))) return;
    const path = pathOf(site, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isFile() && !modes.includes(found.mode & 0o7777)) unlinkSync(path);
  });
}

function restoreDirectory(path: Buffer, mode: number): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return false;
  if ((found.mode & 0o7777) !== mode) chmodSync(path, mode);
  for (const entry of readdirSync(path, { withFileTypes: true, encoding: 'buffer' }))
    if (!entry.isFile() && !entry.isDirectory() && !entry.isSymbolicLink())
      unlinkSync(Buffer.concat([path, Buffer.from('/'), entry.name]));
  return true;
}

const parentOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf('/')));

/** From the top: one that may not be entered hides those below. */
function directoriesOf(files: readonly string[]): string[] {
  const directories = new Set<string>(['']);
  for (const name of files)
    for (let end = name.lastIndexOf('/'); end > 0; end = name.lastIndexOf('/', end - 1)) {
      const directory = name.slice(0, end);
      if (directories.has(directory)) break;
      directories.add(directory);
    }
  return [...directories].sort();
}

async function each(names: readonly string[], act: (name: string) => void): Promise<void> {
  for (const [n, name] of names.entries()) {
    if (n % PER_TURN === PER_TURN - 1) await nextTurn();
    act(name);
  }
}

const pathOf = (site: Site, name: string): Buffer => Buffer.concat([Buffer.from(`${site.path}/`), Buffer.from(name, 'latin1')]);
