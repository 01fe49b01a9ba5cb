import type { Project } from '../../domain/project/project.ts';
import type { WorkspaceId } from '../../domain/values.ts';
import type { TrustLevel } from '../../domain/work/trust.ts';
import { levelOf, type Workspace } from '../../domain/work/workspace.ts';
import type { Write } from '../../store/port.ts';
import { allHits } from '../../store/queries/every-hit.ts';
import type { Versioned } from '../../store/records/record.ts';
import { workspaceIndex, workspaces } from '../../store/records/workspaces.ts';
import type { WorkDeps } from './deps.ts';
import { isReusable, setupWish } from './reuse.ts';

export interface Allocation {
  readonly workspace: Workspace;
  readonly writes: readonly Write[];
}

export interface AllocateWish extends Pick<Workspace, 'isolation' | 'use'> {
  /** Of whoever writes in it: a task's agent, or the code its gate runs. */
  readonly trust: TrustLevel;
}

/**
 * A workspace for this use: one that stands free, best of all with its set-up done, or a new one. One that served another
 * level of trust is never handed over: nothing of a lower level reaches a higher one, or the other way round.
 */
export async function allocate(project: Project, { isolation, trust, use }: AllocateWish, needs: WorkDeps): Promise<Allocation> {
  const at = needs.now();
  const hits = await allHits(needs.store, workspaceIndex.free(needs.host, project.id));
  const fitting = hits
    .map((hit) => ({ body: workspaces.read(hit), version: hit.version }))
    .filter(({ body }) => body.use.kind === 'free' && body.state === 'ready')
    .filter(({ body }) => body.isolation === isolation && levelOf(body) === trust);
  const free = await bestOf(fitting, project, { trust, use }, needs);
  if (free) {
    const workspace: Workspace = { ...free.body, trust, use, state: 'making', updatedAt: at };
    return { workspace, writes: [workspaces.put(workspace, free.version)] };
  }
  const n = await nextNumber(needs);
  const workspace: Workspace = {
    id: `ws_${n}` as WorkspaceId,
    n,
    projectId: project.id,
    host: needs.host,
    path: needs.gitWork.pathOf(project, n),
    isolation,
    trust,
    use,
    state: 'making',
    createdAt: at,
    updatedAt: at,
  };
  return { workspace, writes: [workspaces.put(workspace, 'absent')] };
}

/** One whose set-up need not run again; else one without any, so that others stay as they are for whom they fit. */
async function bestOf(
  free: readonly Versioned<Workspace>[],
  project: Project,
  { trust, use }: Pick<AllocateWish, 'trust' | 'use'>,
  needs: WorkDeps,
): Promise<Versioned<Workspace> | undefined> {
  const furnished = free.filter(({ body }) => body.setup !== undefined);
  const commit = use.kind === 'task' ? use.start : use.kind === 'gate' ? use.commit : undefined;
  const wanted = furnished.length > 0 && commit ? await setupWish(project, { commit, trust }, needs) : undefined;
  for (const one of furnished) if (await isReusable(one.body.setup, wanted, { project }, needs)) return one;
  return free.find(({ body }) => body.setup === undefined) ?? free[0];
}

/** The lowest number nobody has; of two who find the same one the commit of the second fails, and it looks again. */
async function nextNumber({ store, host }: WorkDeps): Promise<number> {
  const taken = new Set((await allHits(store, workspaceIndex.host(host))).map((hit) => workspaces.read(hit).n));
  let n = 1;
  while (taken.has(n) || (await store.get(workspaces.key(`ws_${n}`)))) n += 1;
  return n;
}
