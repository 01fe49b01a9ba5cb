import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { agentPath } from '../../platform/agent-path.ts';
import { hasCode, writeFileAtomic } from '../../platform/files.ts';
import { readRegular } from '../../platform/read-safely.ts';
import { hold, namesIn } from '../../platform/safe-place.ts';
import { replaceSafely } from '../../platform/write-safely.ts';
import type { SiteRepository } from '../announce.ts';
import { commitsOf } from '../history/branches.ts';
import { isBranchName } from '../land/target.ts';
import { readManifest, realSite, repositorySeat, type Site } from '../site.ts';
import { linkHistory } from './place-clone.ts';
import { privatePlaces } from './places.ts';

export interface ShowBranchesOptions {
  /** The branch its work is to land on. */
  readonly target: string;
  /** Of other tasks, whose work it is told of. */
  readonly branches: readonly string[];
}

type Shown = Readonly<Record<string, string>>;

const MOST_BYTES = 1024 * 1024;

/**
 * Shows the agent of a private clone where branches of the project stand now: what they reach comes into its history, and each
 * is a branch of its `origin`. The target is found under its own name too. Only while no agent is at work in it.
 */
export async function showBranches(
  asked: Site,
  { target, branches }: ShowBranchesOptions,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (asked.isolation !== 'clone') return;
  const site = await realSite(asked);
  const mark = await readManifest(site.path);
  if (mark?.state !== 'made') return;
  const ground: SiteRepository = {
    site: { ...site, trust: site.trust ?? mark.trust },
    repository: await repositorySeat(site.repository),
    env,
  };
  const names = [...new Set([target, ...branches])].filter((name) => isBranchName(name) && name !== mark.branch);
  const found = await commitsOf(
    ground.repository,
    names.map((name) => `refs/heads/${name}`),
    env,
  );
  const before = await shownIn(ground.site);
  const now: Record<string, string> = { ...before };
  for (const [n, name] of names.entries()) {
    const commit = found[n];
    if (commit === undefined) continue;
    if (before[name] !== commit) await linkHistory(ground, privatePlaces(ground.site), { commit, refs: [] });
    now[name] = commit;
  }
  await writeFileAtomic(recordOf(ground.site), `${JSON.stringify(now)}\n`);
  for (const [name, commit] of Object.entries(now)) await putRef(ground.site, `refs/remotes/origin/${name}`, commit);
  if (now[target] !== undefined) await putName(ground.site, `refs/heads/${target}`, `ref: refs/remotes/origin/${target}`);
}

const recordOf = (site: Site): string => join(privatePlaces(site).store, 'shown.json');

/** What was shown so far: of each branch the commit. */
export async function shownIn(site: Site): Promise<Shown> {
  const read = await readRegular(recordOf(site), MOST_BYTES);
  return 'bytes' in read ? (JSON.parse(read.bytes.toString('utf8')) as Shown) : {};
}

/** Where something lies in the agent's git directory: no link on the way is followed. */
const placeOf = (site: Site, ref: string): { readonly root: string; readonly relative: string } => {
  const { agentGit } = privatePlaces(site);
  return { root: dirname(agentGit), relative: `${basename(agentGit)}/${ref}` };
};

/** What the agent has put in the way stays its own affair: the commit is in its history all the same. */
async function unlessInTheWay(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    const isOdd = error instanceof Error && !hasCode(error, 'ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE');
    if (!isOdd) throw error;
  });
}

async function putRef(site: Site, ref: string, commit: string): Promise<void> {
  const { root, relative } = placeOf(site, ref);
  await unlessInTheWay(makeWay(root, relative).then(() => replaceSafely(agentPath(root, relative), `${commit}\n`)));
}

async function makeWay(root: string, relative: string): Promise<void> {
  const way = await hold(root, namesIn(relative).slice(0, -1), true);
  await way[Symbol.asyncDispose]();
}

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Only where there is nothing yet: what the agent has made of it is not taken from it. */
async function putName(site: Site, ref: string, text: string): Promise<void> {
  const { root, relative } = placeOf(site, ref);
  const names = namesIn(relative);
  const put = async (): Promise<void> => {
    await using place = await hold(root, names.slice(0, -1), true);
    await using file = await open(place.at(names.at(-1) ?? ''), NEW, 0o644);
    await file.writeFile(`${text}\n`);
  };
  await unlessInTheWay(put());
}
