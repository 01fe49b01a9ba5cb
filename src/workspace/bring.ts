import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../domain/fault.ts';
import { answered, borrow } from './borrowed.ts';
import { ownDirectories } from './checkouts.ts';
import { copyObjects } from './clone-objects.ts';
import { cloneDirectory, commitInClone } from './clone-refs.ts';
import { git } from './git.ts';
import { firstLine, gitDirectory } from './git-directory.ts';
import type { Site } from './site.ts';
import { commitOf } from './target.ts';

const FETCH_MS = 300_000;
const OFFERED = 'refs/heads/offered';
const CHECKED = [
  { key: 'transfer.fsckobjects', value: 'true' },
  { key: 'fetch.fsckobjects', value: 'true' },
];

/**
 * What a site holds comes into the repository under `ref`; answers the commit. Git never runs inside a clone: its refs are read
 * as text, its objects go to a store of ours, and from there they are fetched and checked one by one.
 */
export async function bring(
  site: Site,
  { from, ref }: { readonly from: string; readonly ref: string },
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const commit = site.isolation === 'clone' ? await fetchFrom(site, from, env) : await ownCommit(site, from, env);
  const moved = await git(site.repository, ['update-ref', '-m', 'fleet: bring', ref, commit], env);
  if (!moved.ok) throw new Fault('unavailable', `git could not write ${ref}: ${moved.err.slice(0, 300)}`, { ref });
  return commit;
}

/**
 * A worktree shares the repository's refs and objects; only HEAD is its own, and is looked up from the repository: what
 * stands in the worktree's `.git` is the agent's to write.
 */
async function ownCommit({ repository, path }: Site, from: string, env: NodeJS.ProcessEnv): Promise<string> {
  const commit = await commitOf(repository, from === 'HEAD' ? await headIn(repository, path) : from, env);
  if (commit === undefined) throw new Fault('not_found', `there is no commit ${from} in ${repository}`, { from });
  return commit;
}

async function headIn(repository: string, path: string): Promise<string> {
  const own = (await ownDirectories((await gitDirectory(repository)).common)).get(path);
  const head = own === undefined ? undefined : await firstLine(join(own, 'HEAD'));
  if (head === undefined) throw new Fault('not_found', `${path} is not a worktree of ${repository}`, { path });
  return head.replace(/^ref: /, '');
}

async function fetchFrom({ repository, path }: Site, from: string, env: NodeJS.ProcessEnv): Promise<string> {
  const clone = await cloneDirectory(path);
  const commit = await commitInClone(clone, from);
  if ((await commitOf(repository, commit, env)) === commit) return commit;
  await using quarantine = await borrow(repository, { apart: true }, env);
  await copyObjects(join(clone, 'objects'), join(quarantine.path, 'objects'));
  await writeFile(join(quarantine.path, OFFERED), `${commit}\n`);
  await using side = await borrow(repository, { withRefs: true, settings: CHECKED }, env);
  const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--no-auto-maintenance'];
  const ran = await side.run([...args, '--', quarantine.path, OFFERED], { timeoutMs: FETCH_MS });
  answered(ran, `bring ${commit} from ${path}`);
  return commit;
}
