import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../domain/fault.ts';
import { isBranchName, isId } from './target.ts';

const MAX_STEPS = 5;
const MAX_REF_BYTES = 4_096;
const MAX_PACKED_BYTES = 16 * 1024 * 1024;

/** The git directory of a clone an agent could write: nothing in it may lead out of it. */
export async function cloneDirectory(path: string): Promise<string> {
  const directory = join(path, '.git');
  const found = await lstat(directory).catch(() => undefined);
  if (!found?.isDirectory()) throw new Fault('invalid', `${directory} is not the directory it was made as`, { path });
  return directory;
}

/** The commit a ref of the clone names, read as text: not a git of ours is asked, nor a link followed. */
export async function commitInClone(directory: string, from: string): Promise<string> {
  let name = from === 'HEAD' || from.startsWith('refs/') ? from : `refs/heads/${from}`;
  if (isId(from)) return from;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    if (name !== 'HEAD' && !isBranchName(name)) break;
    const text = (await plainText(directory, name)) ?? (await packed(directory, name));
    if (text === undefined) throw new Fault('not_found', `the clone has no ${name}`, { from });
    if (isId(text)) return text;
    name = /^ref: (refs\/.+)$/.exec(text)?.[1] ?? '';
  }
  throw new Fault('invalid', `${JSON.stringify(from)} of the clone is not a ref that leads to a commit`, { from });
}

async function plainText(directory: string, name: string): Promise<string | undefined> {
  const parts = name.split('/');
  for (let depth = 1; depth < parts.length; depth += 1) {
    const above = await lstat(join(directory, ...parts.slice(0, depth))).catch(() => undefined);
    if (!above?.isDirectory()) return undefined;
  }
  return (await readPlain(join(directory, name), MAX_REF_BYTES))?.split('\n', 1)[0]?.trim();
}

async function packed(directory: string, name: string): Promise<string | undefined> {
  const text = (await readPlain(join(directory, 'packed-refs'), MAX_PACKED_BYTES)) ?? '';
  const line = text.split('\n').find((entry) => entry.endsWith(` ${name}`));
  return line?.slice(0, line.indexOf(' '));
}

/** A plain file and no link, no pipe that would never answer, and not more than was expected. */
async function readPlain(path: string, maxBytes: number): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const found = await file.stat();
    return found.isFile() && found.size <= maxBytes ? await file.readFile('utf8') : undefined;
  } finally {
    await file.close();
  }
}
