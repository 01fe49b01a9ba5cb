import { join } from 'node:path';
import { Fault } from '../domain/fault.ts';
import type { Project } from '../domain/project/project.ts';
import { keptRef } from '../domain/work/work.ts';
import type { Workspace } from '../domain/work/workspace.ts';
import type { Site as Furnished, Gathered, Origin, Workshop } from '../engine/work/needs.ts';
import { exists } from '../platform/files.ts';
import { advance } from '../workspace/advance.ts';
import { branchName } from '../workspace/branch-name.ts';
import { bring } from '../workspace/bring.ts';
import { census } from '../workspace/census.ts';
import { changesBetween } from '../workspace/changes.ts';
import { combine, treeOf } from '../workspace/combine.ts';
import { commitWork } from '../workspace/commit-work.ts';
import { couldAdvance } from '../workspace/could-advance.ts';
import { discard, emptyTrash } from '../workspace/discard.ts';
import { keep } from '../workspace/keep.ts';
import { clear, layOut } from '../workspace/lay-out.ts';
import { dropRef, pinRef } from '../workspace/pinned.ts';
import { annotate, trailersOf } from '../workspace/provenance.ts';
import { pushBranch } from '../workspace/push.ts';
import { dropBranch, dropKeptBranch } from '../workspace/restored.ts';
import { fingerprintOf, madeBySetup } from '../workspace/setup-paths.ts';
import { readMark, type Site } from '../workspace/site.ts';
import { commitOf, identityOf, targetOf } from '../workspace/target.ts';
import type { HomePaths } from './home.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The workspace room, as the engine wants to see it: workspaces of one home, for projects the store knows. */
export function workshopOf(paths: Pick<HomePaths, 'workspaces' | 'trash'>, env: Env): Workshop {
  return {
    targetOf: async ({ path }, wanted) =>
      (await exists(path)) ? targetOf(path, wanted, env) : { state: 'missing', why: 'the repository is gone: was it moved?' },
    commitOf: async ({ path }, ref) => ((await exists(path)) ? commitOf(path, ref, env) : undefined),
    treeOf: (project, commit) => treeOf(project.path, commit, env),
    branchFor: ({ title, id }, executor) => branchName({ executor, title, id }),
    pathOf: (project, n) => join(paths.workspaces, plain(project.name), String(n)),
    layOut: async (site) => {
      const { head, skipped } = await layOut(
        siteOf(site),
        { ...layoutOf(site.workspace), copyFiles: site.project.copyFiles, setupPaths: site.workspace.setup?.paths ?? [] },
        env,
      );
      return { head, skipped };
    },
    madeBySetup: (site) => madeBySetup(siteOf(site), env),
    isSetUpIntact: async (site) => {
      const { setup } = site.workspace;
      return setup !== undefined && (await fingerprintOf(siteOf(site), setup.paths)) === setup.fingerprint;
    },
    keep: (site, wish) => unlessGone(site, () => keptIn(site, wish, env)),
    gather: (site, origin) => unlessGone(site, () => gathered(site, origin, env)),
    changes: (project, span) => changesBetween(project.path, span, env),
    clear: (site) => clear(siteOf(site), { setupPaths: site.workspace.setup?.paths ?? [] }, env),
    discard: (site) => discard(siteOf(site), { trash: paths.trash }, env),
    isHere: (site) => exists(site.workspace.path),
    marked: async () => (await census(paths.workspaces)).flatMap(({ path, mark }) => (mark ? [{ ...mark, path }] : [])),
    removeOrphan: async (orphan) => {
      const ref = `refs/fleet/kept/orphans/${orphan.id}-${Date.now()}`;
      // Where the repository or the files are gone, nothing is left to be kept.
      if ((await exists(orphan.repository)) && (await exists(orphan.path))) {
        const who = await identityOf(orphan.repository, env);
        const { left } = await keep(orphan, { ref, message: `fleet: what was left in ${orphan.id}`, who }, env);
        if (left.length > 0) throw new Fault('unavailable', `${orphan.path} holds files that cannot be kept: ${some(left)}`);
      }
      await discard(orphan, { trash: paths.trash }, env);
    },
    emptyTrash: async (forMs) => (await emptyTrash(paths.trash, { forMs })).left,
    combine: (project, wish) => combined(project, wish, env),
    dropRef: async (project, ref) => ((await exists(project.path)) ? dropRef(project.path, ref, env) : undefined),
    advance: (project, move) => advance(project.path, move, env),
    annotate: (project, span, origin) => annotated(project, span, origin, env),
    push: async (project, branch) => {
      const { ok, why } = await pushBranch(project.path, { branch }, env);
      return { ok, ...(why ? { why } : {}) };
    },
    isFree: (project, move) => couldAdvance(project.path, move, env),
    dropBranch: (project, branch, at) => dropBranch(project.path, { branch, at }, env),
    dropKeptBranch: async ({ path }, branch, taskId) =>
      !(await exists(path)) || dropKeptBranch(path, { branch, below: keptRef(taskId, '').slice(0, -1) }, env),
  };
}

type KeepWish = Parameters<Workshop['keep']>[1];

async function keptIn(site: Furnished, { ref, origin }: KeepWish, env: Env): ReturnType<Workshop['keep']> {
  // While it is being made or cleared nothing of an agent is in it: what was there had been kept before.
  if ((await readMark(site.workspace.path))?.state !== 'made') return undefined;
  const who = await identityOf(site.project.path, env);
  const message = `fleet: what ${origin.task.id} left\n\n${trailers(origin)}`;
  const { commit, left, dirty } = await keep(siteOf(site), { ref, message, who }, env);
  return { commit, left, isOurs: dirty };
}

type CombineWish = Parameters<Workshop['combine']>[1];

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
});

function layoutOf({ use }: Workspace): { branch?: string; start: string } {
  if (use.kind === 'task') return { branch: use.branch, start: use.start };
  if (use.kind === 'gate') return { start: use.commit };
  throw new Error('a workspace that nobody uses has nothing to be laid out for');
}

const provenanceOf = ({ task, run }: Origin) => ({
  task: task.id,
  run: run?.id ?? '-',
  executor: run?.executor ?? '-',
  ...(run?.model ? { model: run.model } : {}),
});

const trailers = (origin: Origin): string => trailersOf(provenanceOf(origin));

async function annotated(
  project: Project,
  { base, tip, landed }: { readonly base: string; readonly tip: string; readonly landed: string },
  origin: Origin,
  env: Env,
): Promise<void> {
  const { commits } = await changesBetween(project.path, { base, tip }, env);
  await annotate(project.path, [...commits.map(({ id }) => id), landed], provenanceOf(origin), env);
}

/** An agent, or somebody else, may have removed the whole tree: then there is nothing to answer, and nothing to repair. */
async function unlessGone<Answer>({ workspace }: Furnished, work: () => Promise<Answer>): Promise<Answer | undefined> {
  return (await exists(workspace.path)) ? work() : undefined;
}

async function gathered(site: Furnished, origin: Origin, env: Env): Promise<Gathered> {
  const who = await identityOf(site.project.path, env);
  const message = `${origin.task.title}\n\n${trailers(origin)}`;
  const { commit: head, why } = await commitWork(siteOf(site), { message, who }, env);
  const { use } = site.workspace;
  const branch = use.kind === 'task' ? use.branch : 'HEAD';
  const commit = await bring(siteOf(site), { from: branch, ref: `refs/heads/${branch}` }, env);
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
