import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Fault } from '../domain/fault.ts';
import { readRegular } from '../platform/read-safely.ts';
import type { LendingRepository } from './git/location.ts';

/** Found by reading files, as git does, so that it costs no process and obeys no setting. */
export async function gitDirectory(repository: string): Promise<LendingRepository> {
  const gitDir = await ownDirectory(resolve(repository));
  if (gitDir === undefined) throw new Fault('not_found', `${repository} is not a git repository`, { repository });
  const common = await firstLine(join(gitDir, 'commondir'));
  return { gitDir, commonDir: common === undefined ? gitDir : resolve(gitDir, common) };
}

async function ownDirectory(start: string): Promise<string | undefined> {
  for (let at = start; ; at = dirname(at)) {
    const dotGit = join(at, '.git');
    const found = statOf(dotGit);
    if (found?.isDirectory() && isGitDirectory(dotGit)) return dotGit;
    if (found?.isFile()) {
      const pointer = /^gitdir: (.+)$/.exec((await firstLine(dotGit)) ?? '')?.[1];
      return pointer === undefined ? undefined : resolve(at, pointer);
    }
    if (isGitDirectory(at)) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** A linked checkout's own part has neither objects nor refs, only a pointer to where they are. */
function isGitDirectory(path: string): boolean {
  const has = (name: string) => statOf(join(path, name)) !== undefined;
  return has('HEAD') && ((has('objects') && has('refs')) || has('commondir'));
}

function statOf(path: string) {
  try {
    return statSync(path);
  } catch {
    // Not there, or not ours to see: git would not find it either.
    return undefined;
  }
}

const LINE_BYTES = 64 * 1024;

/** Of a file that an agent may have written in a repository of the user's: what is no short regular file says nothing. */
export async function firstLine(path: string): Promise<string | undefined> {
  const read = await readRegular(path, LINE_BYTES);
  return 'bytes' in read ? read.bytes.toString('utf8').split('\n', 1)[0]?.trim() : undefined;
}
