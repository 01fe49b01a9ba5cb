import { join } from 'node:path';
import { Fault } from '../domain/fault.ts';
import type { Project } from '../domain/project/project.ts';
import type { TaskId } from '../domain/values.ts';
import { keptRef } from '../domain/work/work.ts';
import { levelOf, type Workspace } from '../domain/work/workspace.ts';
import type {
  CommitOrigin,
  CommittedWork,
  ProjectWorkspace as Furnished,
  GitWork,
  ProvisionedTree,
  SetupProduct,
} from '../engine/work/deps.ts';
import { exists } from '../platform/files.ts';
import { branchName } from '../workspace/history/branch-name.ts';
import { changesBetween } from '../workspace/history/changes.ts';
import { dropRef, pinRef } from '../workspace/history/pinned.ts';
import { trailersOf, writeProvenance } from '../workspace/history/provenance.ts';
import { advance } from '../workspace/land/advance.ts';
import { combine, treeOf } from '../workspace/land/combine.ts';
import { couldAdvance } from '../workspace/land/could-advance.ts';
import { pushBranch } from '../workspace/land/push.ts';
import { commitOf, identityOf, targetOf } from '../workspace/land/target.ts';
import { listSites } from '../workspace/list-sites.ts';
import { within } from '../workspace/locks/within.ts';
import type { Means } from '../workspace/private/confine.ts';
import { showBranches } from '../workspace/private/show.ts';
import { commitWork } from '../workspace/save/commit-work.ts';
import { importBranch } from '../workspace/save/import-branch.ts';
import { putAside, removeAside } from '../workspace/save/put-aside.ts';
import { dropBranch, dropKeptBranch } from '../workspace/save/restored.ts';
import { save } from '../workspace/save/save.ts';
import { readManifest, type Site } from '../workspace/site.ts';
import { provision, reset } from '../workspace/tree/provision.ts';
import { emptyTrash, removeSite } from '../workspace/tree/remove-site.ts';
import { copyFingerprint, dropSetupCopy, keepSetupCopy, takeSetupCopy } from '../workspace/tree/setup-copy.ts';
import { isContained, setupInputs } from '../workspace/tree/setup-inputs.ts';
import { dropSetup, fingerprintOf, madeBySetup } from '../workspace/tree/setup-paths.ts';
import { toolchainOf } from '../workspace/tree/toolchain.ts';
import { confineOf } from './confined.ts';
import type { HomePaths } from './home.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The workspace room, as the engine wants to see it: workspaces of one home, for projects the store knows. */
export function gitWorkOf(paths: Pick<HomePaths, 'workspaces' | 'trash' | 'aside'>, env: Env): GitWork {
  const means: Means = { confine: confineOf(env) };
  return {
    targetOf: async ({ path }, wanted) =>
      (await exists(path)) ? targetOf(path, wanted, env) : { state: 'missing', why: 'the repository is gone: was it moved?' },
    commitOf: async ({ path }, ref) => ((await exists(path)) ? commitOf(path, ref, env) : undefined),
    treeOf: (project, commit) => treeOf(project.path, commit, env),
    branchFor: ({ title, id }, executor) => branchName({ executor, title, id }),
    pathOf: (project, n) => join(paths.workspaces, plain(project.name), String(n)),
    provision: (site, { keepSetup }) => laidOut(site, keepSetup, env),
    setupSource: async (project, { commit, trust }) => {
      const found = await setupInputs(project.path, { commit, patterns: project.setupInputs ?? [] }, env);
      return found && { trust, commit, toolchain: await toolchainOf(env), ...found };
    },
    isContained: (project, span) => isContained(project.path, span, env),
    showBranches: (site, wish) => showBranches(siteOf(site), wish, env),
    recordSetup: (site, { isLanded }) => made(site, isLanded, env),
    isSetUpIntact: async (site) => {
      const { setup } = site.workspace;
      const look = isOwn(site) ? fingerprintOf : copyFingerprint;
      return setup?.source !== undefined && (await look(siteOf(site), setup.paths)) === setup.fingerprint;
    },
    save: (site, wish) => unlessGone(site, () => keptIn(site, wish, { env, means })),
    commitWork: (site, origin) => unlessGone(site, () => gathered(site, origin, { env, means })),
    changes: (project, span) => changesBetween(project.path, span, env),
    reset: (site) => reset(siteOf(site), { setupPaths: isOwn(site) ? (site.workspace.setup?.paths ?? []) : [] }, env),
    remove: (site) => removeSite(siteOf(site), { trash: paths.trash }, env),
    within,
    asidePathOf: ({ id }, at) => join(paths.aside, `${id}-${at.replaceAll(':', '-')}`),
    putAside: (site, { path, reason }) => {
      const ref = keptRef(reason.taskId ?? 'orphans', reason.runId ?? site.workspace.id);
      return putAside(siteOf(site), { path, reason: { ...reason }, ref }, env);
    },
    removeAside: (path) => removeAside(path, { trash: paths.trash }),
    isHere: (site) => exists(site.workspace.path),
    markedDirectories: async () =>
      (await listSites(paths.workspaces)).flatMap(({ path, mark }) => (mark ? [{ ...mark, path }] : [])),
    removeOrphan: async (orphan) => {
      const ref = `refs/fleet/kept/orphans/${orphan.id}-${Date.now()}`;
      // Where the repository or the files are gone, nothing is left to be kept.
      if ((await exists(orphan.repository)) && (await exists(orphan.path))) {
        const who = await identityOf(orphan.repository, env);
        const { left } = await save(orphan, { ref, message: `fleet: what was left in ${orphan.id}`, who, means }, env);
        if (left.length > 0) throw new Fault('unavailable', `${orphan.path} holds files that cannot be kept: ${some(left)}`);
      }
      await removeSite(orphan, { trash: paths.trash }, env);
    },
    emptyTrash: (forMs) => emptyTrash(paths.trash, { forMs }),
    combine: (project, wish) => combined(project, wish, env),
    dropRef: async (project, ref) => ((await exists(project.path)) ? dropRef(project.path, ref, env) : undefined),
    advance: (project, move) => advance(project.path, move, env),
    recordProvenance: (project, span, origin) => annotated(project, span, origin, env),
    push: async (project, branch) => {
      const { ok, why } = await pushBranch(project.path, { branch }, env);
      return { ok, ...(why ? { why } : {}) };
    },
    isFree: (project, move) => couldAdvance(project.path, move, env),
    dropBranch: (project, branch, at) => dropBranch(project.path, { branch, at }, env),
    dropKeptBranch: (project, branch, taskId) => keptBranchDropped(project, { branch, taskId }, env),
  };
}

const keptBranchDropped = async (
  { path }: Project,
  { branch, taskId }: { readonly branch: string; readonly taskId: TaskId },
  env: Env,
): Promise<boolean> => !(await exists(path)) || dropKeptBranch(path, { branch, below: keptRef(taskId, '').slice(0, -1) }, env);

const isOwn = ({ workspace }: Furnished): boolean => levelOf(workspace) === 'own';

/** What agents below the user's own level could write to goes; a copy that they could not comes in its place. */
async function laidOut(site: Furnished, keepSetup: boolean, env: Env): Promise<ProvisionedTree> {
  const { setup: before } = site.workspace;
  const [place, paths] = [siteOf(site), before?.paths ?? []];
  if (before && !(keepSetup && isOwn(site))) await dropSetup(place, paths, env);
  if (before && !keepSetup) await dropSetupCopy(place);
  const isSetUp = keepSetup && (isOwn(site) || (await takeSetupCopy(place, paths)));
  const wish = { ...layoutOf(site.workspace), copyFiles: site.project.copyFiles, setupPaths: isSetUp ? paths : [] };
  const { head, skipped, how } = await provision(place, wish, env);
  return { head, skipped, isSetUp, isFresh: how !== 'kept' };
}

async function made(site: Furnished, isLanded: boolean, env: Env): Promise<SetupProduct> {
  const found = await madeBySetup(siteOf(site), env);
  if (isOwn(site)) return { ...found, isLasting: true };
  if (!isLanded) await dropSetupCopy(siteOf(site));
  const copied = isLanded ? await keepSetupCopy(siteOf(site), found.paths) : undefined;
  return { paths: found.paths, fingerprint: copied ?? found.fingerprint, isLasting: copied !== undefined };
}

type KeepWish = Parameters<GitWork['save']>[1];

interface With {
  readonly env: Env;
  readonly means: Means;
}

async function keptIn(site: Furnished, { ref, origin }: KeepWish, { env, means }: With): ReturnType<GitWork['save']> {
  // While it is being made or cleared nothing of an agent is in it: what was there had been kept before.
  if ((await readManifest(site.workspace.path))?.state !== 'made') return undefined;
  const who = await identityOf(site.project.path, env);
  const message = `fleet: what ${origin.task.id} left\n\n${trailers(origin)}`;
  const { commit, left, dirty, unread } = await save(siteOf(site), { ref, message, who, means }, env);
  return { commit, left, isOurs: dirty, ...(unread === undefined ? {} : { unread }) };
}

type CombineWish = Parameters<GitWork['combine']>[1];

async function combined(project: Project, { onto, tip, origin, at, ref }: CombineWish, env: Env) {
  const who = await identityOf(project.path, env);
  const message = `${origin.task.title}\n\n${trailers(origin)}`;
  const made = await combine(project.path, { onto, tip, message, who, at }, env);
  if (made.state === 'merged' && ref !== undefined) await pinRef(project.path, ref, made.commit, env);
  return made;
}

export const siteOf = ({ workspace, project }: Furnished): Site => ({
  id: workspace.id,
  repository: project.path,
  path: workspace.path,
  isolation: workspace.isolation,
  trust: levelOf(workspace),
});

function layoutOf({ use }: Workspace): { branch?: string; start: string } {
  if (use.kind === 'task') return { branch: use.branch, start: use.start };
  if (use.kind === 'gate') return { start: use.commit };
  throw new Error('a workspace that nobody uses has nothing to be laid out for');
}

const provenanceOf = ({ task, run }: CommitOrigin) => ({
  task: task.id,
  run: run?.id ?? '-',
  executor: run?.executor ?? '-',
  ...(run?.model ? { model: run.model } : {}),
});

const trailers = (origin: CommitOrigin): string => trailersOf(provenanceOf(origin));

async function annotated(
  project: Project,
  { base, tip, landed }: { readonly base: string; readonly tip: string; readonly landed: string },
  origin: CommitOrigin,
  env: Env,
): Promise<void> {
  const { commits } = await changesBetween(project.path, { base, tip }, env);
  await writeProvenance(project.path, [...commits.map(({ id }) => id), landed], provenanceOf(origin), env);
}

/** An agent, or somebody else, may have removed the whole tree: then there is nothing to answer, and nothing to repair. */
async function unlessGone<Answer>({ workspace }: Furnished, work: () => Promise<Answer>): Promise<Answer | undefined> {
  return (await exists(workspace.path)) ? work() : undefined;
}

async function gathered(site: Furnished, origin: CommitOrigin, { env, means }: With): Promise<CommittedWork> {
  const who = await identityOf(site.project.path, env);
  const message = `${origin.task.title}\n\n${trailers(origin)}`;
  const { commit: head, why } = await commitWork(siteOf(site), { message, who, means }, env);
  const { use } = site.workspace;
  const branch = use.kind === 'task' ? use.branch : 'HEAD';
  const commit = await importBranch(siteOf(site), { from: branch, ref: `refs/heads/${branch}` }, env);
  const elsewhere = head === commit ? undefined : `what is checked out is ${head.slice(0, 12)}, and not the branch ${branch}`;
  const without = why ?? elsewhere;
  return { commit, tree: await treeOf(site.project.path, commit, env), ...(without ? { without } : {}) };
}

const some = (files: readonly string[]): string => files.slice(0, 5).join(', ');

/** A name as one part of a path that people may type. */
const plain = (name: string): string =>
  name
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^\.+/, '')
    .slice(0, 60) || 'project';
