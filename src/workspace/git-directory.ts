import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Fault } from '../domain/fault.ts';

/** Where git keeps what it knows: `own` is the checkout's part (HEAD, index), `common` what all checkouts share. */
export interface GitDirectory {
  readonly own: string;
  readonly common: string;
}

/**
 * Found by reading files, as git does, so that it costs no process and obeys no setting. Here and in the rest of a landing files
 * are read and written synchronously: a few short calls, where as many trips to other threads add up to milliseconds.
 */
export async function gitDirectory(repository: string): Promise<GitDirectory> {
  const own = ownDirectory(resolve(repository));
  if (own === undefined) throw new Fault('not_found', `${repository} is not a git repository`, { repository });
  const common = await firstLine(join(own, 'commondir'));
  return { own, common: common === undefined ? own : resolve(own, common) };
}

function ownDirectory(start: string): string | undefined {
  for (let at = start; ; at = dirname(at)) {
    const dotGit = join(at, '.git');
    const found = statOf(dotGit);
    if (found?.isDirectory() && isGitDirectory(dotGit)) return dotGit;
    if (found?.isFile()) {
      const pointer = /^gitdir: (.+)$/.exec(firstLineSync(dotGit) ?? '')?.[1];
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

export const firstLine = async (path: string): Promise<string | undefined> => firstLineSync(path);

function firstLineSync(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').split('\n', 1)[0]?.trim();
  } catch {
    return undefined;
  }
}
