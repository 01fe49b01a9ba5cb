import { join } from 'node:path';
import type { Project } from '../domain/project/project.ts';
import type { Workspace } from '../domain/work/workspace.ts';
import type { Site as Furnished, Origin, Workshop } from '../engine/work/needs.ts';
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
import { annotate, trailersOf } from '../workspace/provenance.ts';
import { pushBranch } from '../workspace/push.ts';
import { dropBranch } from '../workspace/restored.ts';
import { fingerprintOf, madeBySetup } from '../workspace/setup-paths.ts';
import type { Site } from '../workspace/site.ts';
import { commitOf, identityOf, targetOf } from '../workspace/target.ts';
import type { HomePaths } from './home.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The workspace room, as the engine wants to see it: workspaces of one home, for projects the store knows. */
export function workshopOf(paths: Pick<HomePaths, 'workspaces' | 'trash'>, env: Env): Workshop {
  return {
    targetOf: (project, wanted) => targetOf(project.path, wanted, env),
    commitOf: (project, ref) => commitOf(project.path, ref, env),
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
    keep: async (site, { ref, origin }) => {
      const who = await identityOf(site.project.path, env);
      return (await keep(siteOf(site), { ref, message: `fleet: what ${origin.task.id} left\n\n${trailers(origin)}`, who }, env))
        .commit;
    },
    gather: async (site, origin) => {
      const who = await identityOf(site.project.path, env);
      await commitWork(siteOf(site), { message: `${origin.task.title}\n\n${trailers(origin)}`, who }, env);
      const { use } = site.workspace;
      const branch = use.kind === 'task' ? use.branch : 'HEAD';
      const commit = await bring(siteOf(site), { from: branch, ref: `refs/heads/${branch}` }, env);
      return { commit, tree: await treeOf(site.project.path, commit, env) };
    },
    changes: (project, span) => changesBetween(project.path, span, env),
    clear: (site) => clear(siteOf(site), { setupPaths: site.workspace.setup?.paths ?? [] }, env),
    discard: (site) => discard(siteOf(site), { trash: paths.trash }, env),
    isHere: (site) => exists(site.workspace.path),
    removeOrphans: (known) => removeOrphans(paths, known, env),
    emptyTrash: async (forMs) => (await emptyTrash(paths.trash, { forMs })).left,
    combine: async (project, { onto, tip, origin, at }) => {
      const who = await identityOf(project.path, env);
      return combine(project.path, { onto, tip, message: `${origin.task.title}\n\n${trailers(origin)}`, who, at }, env);
    },
    advance: (project, move) => advance(project.path, move, env),
    annotate: (project, span, origin) => annotated(project, span, origin, env),
    push: async (project, branch) => {
      const { ok, why } = await pushBranch(project.path, { branch }, env);
      return { ok, ...(why ? { why } : {}) };
    },
    isFree: (project, move) => couldAdvance(project.path, move, env),
    dropBranch: (project, branch, at) => dropBranch(project.path, { branch, at }, env),
  };
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

/** Looked for first, and only then compared with who is known: what is being made right now has its row already. */
async function removeOrphans(
  paths: Pick<HomePaths, 'workspaces' | 'trash'>,
  known: () => Promise<ReadonlySet<string>>,
  env: Env,
): Promise<readonly string[]> {
  const found = await census(paths.workspaces);
  const isKnown = await known();
  const orphans = found.flatMap(({ path, mark }) => (mark && !isKnown.has(path) ? [{ ...mark, path }] : []));
  for (const site of orphans) {
    const ref = `refs/fleet/kept/orphans/${site.id}-${Date.now()}`;
    const who = await identityOf(site.repository, env);
    await keep(site, { ref, message: `fleet: what was left in ${site.id}`, who }, env);
    await discard(site, { trash: paths.trash }, env);
  }
  return orphans.map(({ path }) => path);
}

/** A name as one part of a path that people may type. */
const plain = (name: string): string =>
  name
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^\.+/, '')
    .slice(0, 60) || 'project';
