import { Fault } from '../../domain/fault.ts';
import type { Project } from '../../domain/project/project.ts';
import type { WorkspaceId } from '../../domain/values.ts';
import type { Workspace } from '../../domain/work/workspace.ts';
import type { Write } from '../../store/port.ts';
import { workspaceIndex, workspaces } from '../../store/records/workspaces.ts';
import type { WorkNeeds } from './needs.ts';

export interface Allocation {
  readonly workspace: Workspace;
  readonly writes: readonly Write[];
}

/** A workspace for this use: one that stands free, best of all with its set-up done, or a new one. */
export async function allocate(
  project: Project,
  { isolation, use }: Pick<Workspace, 'isolation' | 'use'>,
  needs: WorkNeeds,
): Promise<Allocation> {
  const at = needs.now();
  const hits = await needs.store.scan({ index: workspaceIndex.free(needs.host, project.id), limit: 50 });
  const fitting = hits
    .map((hit) => ({ body: workspaces.read(hit), version: hit.version }))
    .filter(({ body }) => body.isolation === isolation && body.use.kind === 'free' && body.state === 'ready');
  const free = fitting.find(({ body }) => body.setup?.command === project.setup) ?? fitting[0];
  if (free) {
    const workspace: Workspace = { ...free.body, use, state: 'making', updatedAt: at };
    return { workspace, writes: [workspaces.put(workspace, free.version)] };
  }
  const n = await nextNumber(needs);
  const workspace: Workspace = {
    id: `ws_${n}` as WorkspaceId,
    n,
    projectId: project.id,
    host: needs.host,
    path: needs.workshop.pathOf(project, n),
    isolation,
    use,
    state: 'making',
    createdAt: at,
    updatedAt: at,
  };
  return { workspace, writes: [workspaces.put(workspace, 'absent')] };
}

/** The lowest number nobody has; of two who find the same one the commit of the second fails, and it looks again. */
async function nextNumber({ store, host }: WorkNeeds): Promise<number> {
  const taken = new Set(
    (await store.scan({ index: workspaceIndex.host(host), limit: store.limits.rowsPerScan })).map(
      (hit) => workspaces.read(hit).n,
    ),
  );
  if (taken.size >= store.limits.rowsPerScan)
    throw new Fault('limit', `this host has ${taken.size} workspaces already: fleet workspace prune removes those nobody needs`);
  let n = 1;
  while (taken.has(n) || (await store.get(workspaces.key(`ws_${n}`)))) n += 1;
  return n;
}
