import { randomUUID } from 'node:crypto';
import { copyFile, link, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../domain/fault.ts';
import { exists, hasCode } from '../../platform/files.ts';
import { holderOf, updateRef } from '../history/branches.ts';
import type { Means } from '../private/confine.ts';
import { commitPrivate } from '../private/save-private.ts';
import { readPlain } from '../read-plain.ts';
import type { Seat } from '../seat.ts';
import { entryName, ownManifest, realSite, repositorySeat, type Site, type Who } from '../site.ts';
import { withClearFault } from '../with-clear-fault.ts';
import type { CommitOutcome } from './outcome.ts';
import { commitTree } from './save.ts';
import { type TreeSnapshot, withSnapshot } from './snapshot.ts';

const ATTEMPTS = 3;

/** What is not committed yet becomes a commit on the branch that is checked out. */
export async function commitWork(
  asked: Site,
  options: { readonly message: string; readonly who: Who; readonly means?: Means | undefined },
  env: NodeJS.ProcessEnv,
): Promise<CommitOutcome> {
  const site = await realSite(asked);
  const mark = await ownManifest(site);
  if (site.isolation === 'clone') {
    if (mark === undefined) throw new Fault('not_found', `${site.path} was not made by Fleet`, { path: site.path });
    const repository = await repositorySeat(site.repository);
    const ground = { site: { ...site, trust: site.trust ?? mark.trust }, repository, env };
    return withClearFault(`commit in ${site.path}`, () => commitPrivate(ground, mark, options, options.means ?? {}));
  }
  for (let attempt = 1; ; attempt += 1) {
    const done = await withClearFault(`commit in ${site.path}`, () =>
      withSnapshot(site, { env, flat: false }, (snapshot) => commitSnapshot(site, snapshot, options, env)),
    );
    if (done) return done;
    if (attempt === ATTEMPTS)
      throw new Fault('conflict', `the branch in ${site.path} is moved by somebody else`, { path: site.path });
  }
}

/** Undefined when the branch was moved meanwhile. */
async function commitSnapshot(
  site: Site,
  snapshot: TreeSnapshot,
  options: { readonly message: string; readonly who: Who },
  env: NodeJS.ProcessEnv,
): Promise<CommitOutcome | undefined> {
  const { seat, head, tree, headTree } = snapshot;
  if (tree === headTree && head !== undefined) return { commit: head, made: false };
  const why = await obstacle(site, snapshot);
  if (why !== undefined) {
    if (head === undefined) throw new Fault('conflict', `nothing can be committed in ${site.path}: ${why}`, { path: site.path });
    return { commit: head, made: false, why };
  }
  const commit = await commitTree(snapshot, options, env);
  const before = head ?? '0'.repeat(commit.length);
  const end = await updateRef(seat, ['-m', 'commit: by fleet', 'HEAD', commit, before], env);
  if (end.code !== 0) return undefined;
  await replaceIndex(seat, snapshot.index);
  return { commit, made: true };
}

const UNDER_WAY: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'a merge is under way',
  CHERRY_PICK_HEAD: 'a cherry-pick is under way',
  REVERT_HEAD: 'a revert is under way',
  'rebase-merge': 'a rebase is under way',
  'rebase-apply': 'a rebase is under way',
};

async function obstacle(site: Site, { seat, hadConflicts, left }: TreeSnapshot): Promise<string | undefined> {
  if (hadConflicts) return 'there are conflicts that are not resolved';
  for (const [name, why] of Object.entries(UNDER_WAY)) if (await exists(join(seat.gitDir, name))) return why;
  if (left.length > 0) return `these files cannot be committed: ${left.slice(0, 10).join(', ')}`;
  const branch = /^ref: refs\/heads\/(.+)$/m.exec((await readPlain(join(seat.gitDir, 'HEAD'))) ?? '')?.[1];
  const holder = branch === undefined ? undefined : await holderOf(seat.commonDir, branch, entryName(site));
  return holder === undefined ? undefined : `the branch ${branch} is also checked out in ${holder}`;
}

const POLL_MS = 20;
const WAIT_MS = 2_000;

/** As git does it: under `index.lock`. If somebody holds that for long, the agent's index stays as it is; the commit stands. */
async function replaceIndex(seat: Seat, index: string): Promise<void> {
  const [own, lock] = [join(seat.gitDir, 'index'), join(seat.gitDir, 'index.lock')];
  const ready = join(seat.gitDir, `fleet-index-${randomUUID()}`);
  await copyFile(index, ready);
  try {
    for (const until = performance.now() + WAIT_MS; performance.now() < until; await sleep(POLL_MS)) {
      const mine = await link(ready, lock).then(
        () => true,
        (error: unknown) => {
          if (hasCode(error, 'EEXIST')) return false;
          throw error;
        },
      );
      if (!mine) continue;
      await unlink(ready);
      await rename(lock, own);
      return;
    }
  } finally {
    await rm(ready, { force: true });
  }
}
