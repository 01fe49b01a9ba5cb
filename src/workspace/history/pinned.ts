import { mkdirSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import { hasCode } from '../../platform/files.ts';
import { readRegular } from '../../platform/read-safely.ts';
import { gitFault } from '../git/git.ts';
import { gitDirectory } from '../git-directory.ts';
import { isId } from '../land/target.ts';
import { repositorySeat } from '../site.ts';
import { updateRef } from './branches.ts';

/**
 * Puts a commit under a hidden ref, so that no `git gc` of anybody takes it away while it is needed. Written as git writes
 * a ref, by its lock, without the cost of a process: nobody but us has refs of this name.
 */
export async function pinRef(repository: string, ref: string, commit: string, env: NodeJS.ProcessEnv): Promise<void> {
  assertOwn(ref);
  if (!isId(commit)) throw new Fault('invalid', `${commit} is not the full id of a commit`);
  const { commonDir: common } = await gitDirectory(repository);
  const file = join(common, ref);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.lock`, `${commit}\n`, { flag: 'wx' });
    renameSync(`${file}.lock`, file);
  } catch (error) {
    // Somebody has died in the middle, or a directory of that name is in the way: git knows what to do.
    if (!hasCode(error, 'EEXIST', 'EISDIR', 'ENOTEMPTY', 'ENOTDIR')) throw error;
    const end = await updateRef(await repositorySeat(repository), ['--no-deref', ref, commit], env);
    if (end.code !== 0) throw gitFault(end, `move ${ref}`);
  }
}

/** Removes a hidden ref, wherever git has put it meanwhile. */
export async function dropRef(repository: string, ref: string, env: NodeJS.ProcessEnv): Promise<void> {
  assertOwn(ref);
  const { commonDir: common } = await gitDirectory(repository);
  if (await isPacked(common, ref)) {
    const end = await updateRef(await repositorySeat(repository), ['--no-deref', '-d', ref], env);
    if (end.code !== 0) throw gitFault(end, `move ${ref}`);
    return;
  }
  try {
    unlinkSync(join(common, ref));
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
  }
}

/** More than a hundred million bytes of refs are git's to look through. */
const MOST_PACKED = 128 * 1024 * 1024;

async function isPacked(common: string, ref: string): Promise<boolean> {
  const read = await readRegular(join(common, 'packed-refs'), MOST_PACKED);
  return 'bytes' in read ? read.bytes.includes(` ${ref}\n`) : read.why === 'large';
}

function assertOwn(ref: string): void {
  if (!/^refs\/fleet\/[\w/-]+$/.test(ref)) throw new Fault('invalid', `${ref} is not a ref of Fleet`);
}
