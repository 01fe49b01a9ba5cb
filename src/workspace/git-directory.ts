import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Fault } from '../domain/fault.ts';

/** Where git keeps what it knows: `own` is the checkout's part (HEAD, index), `common` what all checkouts share. */
export interface GitDirectory {
  readonly own: string;
  readonly common: string;
}

/** Found by reading files, as git does, so that it costs no process and obeys no setting. */
export async function gitDirectory(repository: string): Promise<GitDirectory> {
  const own = await ownDirectory(resolve(repository));
  if (own === undefined) throw new Fault('not_found', `${repository} is not a git repository`, { repository });
  const common = await firstLine(join(own, 'commondir'));
  return { own, common: common === undefined ? own : resolve(own, common) };
}

async function ownDirectory(start: string): Promise<string | undefined> {
  for (let at = start; ; at = dirname(at)) {
    const dotGit = join(at, '.git');
    const found = await stat(dotGit).catch(() => undefined);
    if (found?.isDirectory() && (await isGitDirectory(dotGit))) return dotGit;
    if (found?.isFile()) {
      const pointer = /^gitdir: (.+)$/.exec((await firstLine(dotGit)) ?? '')?.[1];
      return pointer === undefined ? undefined : resolve(at, pointer);
    }
    if (await isGitDirectory(at)) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** A linked checkout's own part has neither objects nor refs, only a pointer to where they are. */
async function isGitDirectory(path: string): Promise<boolean> {
  const has = (name: string) =>
    stat(join(path, name)).then(
      () => true,
      () => false,
    );
  if (!(await has('HEAD'))) return false;
  return ((await has('objects')) && (await has('refs'))) || has('commondir');
}

export async function firstLine(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text?.split('\n', 1)[0]?.trim();
}
