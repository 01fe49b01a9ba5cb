import type { WorkspaceView } from '../../contract/work.ts';
import { Fault } from '../../domain/fault.ts';
import { isFinal } from '../../domain/task/task.ts';
import type { RunId } from '../../domain/values.ts';
import { levelOf, portsOf, type Workspace } from '../../domain/work/workspace.ts';
import { allHits } from '../../store/queries/every-hit.ts';
import { projects } from '../../store/records/projects.ts';
import type { Versioned } from '../../store/records/record.ts';
import { tasks } from '../../store/records/tasks.ts';
import { workspaceIndex, workspaces } from '../../store/records/workspaces.ts';
import { type Handlers, plan, type Scope } from '../scope.ts';
import { projectAround } from '../task/work-place.ts';
import { loadText } from '../texts.ts';

type Names = 'workspace.list' | 'workspace.prune' | 'workspace.delete' | 'fleet.blame';

export const workspaceHandlers: Pick<Handlers, Names> = {
  'workspace.list': async (_input, scope) =>
    plan({ items: await Promise.all((await all(scope)).map(({ body }) => shown(body, scope))) }),

  'workspace.prune': async ({ dryRun }, scope) => {
    const found = await all(scope);
    const idle = await Promise.all(found.map(async (seen) => ((await isIdle(seen.body, scope)) ? [seen] : [])));
    const doomed = idle.flat().slice(0, 50);
    const writes = doomed.map(({ body: { stuck: _looked, ...body }, version }) =>
      workspaces.put({ ...body, state: 'leaving', doomed: true, updatedAt: scope.now }, version),
    );
    return plan({ items: await Promise.all(doomed.map(({ body }) => shown(body, scope))), dryRun }, dryRun ? [] : writes);
  },

  'workspace.delete': async ({ id }, scope) => {
    const seen = await workspaces.get(scope.reads, id);
    if (!seen) throw new Fault('not_found', `no workspace ${id}: fleet workspace list shows those that are there`);
    const { body, version } = seen;
    if (body.state === 'leaving' && body.aside) return plan(await shown(body, scope));
    if (body.aside?.moving) throw new Fault('conflict', `workspace ${id} is just being put aside: try again in a moment`);
    if (body.state !== 'aside')
      throw new Fault('conflict', `workspace ${id} was not put aside: fleet workspace prune removes those that nobody needs`);
    const next = { ...body, state: 'leaving', doomed: true, updatedAt: scope.now } as const;
    return plan(await shown(next, scope), [workspaces.put(next, version)]);
  },

  'fleet.blame': async ({ file, ref }, scope) => {
    const [, path = file, line] = /^(.*?)(?::(\d+))?$/s.exec(file) ?? [];
    const real = await scope.places.real(path);
    // A path is not a way to look at files that no project of this fleet holds.
    if (scope.caller.role !== 'admin' && (real === undefined || !(await projectAround(real, scope))))
      throw new Fault('not_found', `${path} lies in no project of this fleet`);
    const found = await scope.work.blame(path, { ref, line: line === undefined ? undefined : Number(line) });
    const clean = await scope.output.known([
      ...new Set(found.lines.flatMap(({ run }) => (run === undefined ? [] : [run as RunId]))),
    ]);
    const lines = found.lines.map((one) => ({ ...one, text: clean(one.text), summary: clean(one.summary) }));
    const titles = new Map<string, { title: string; prompt: string }>();
    for (const id of new Set(found.lines.flatMap(({ task }) => task ?? []))) {
      const task = (await tasks.get(scope.reads, id))?.body;
      if (task) titles.set(id, { title: task.title, prompt: (await loadText(scope, task.prompt)).slice(0, PROMPT_SHOWN) });
    }
    return plan({ file: found.file, lines: lines.map((one) => ({ ...one, ...(one.task ? titles.get(one.task) : {}) })) });
  },
};

const PROMPT_SHOWN = 500;

async function all({ reads, home }: Scope): Promise<Versioned<Workspace>[]> {
  const hits = await allHits(reads, workspaceIndex.host(await home.host()));
  return hits.map((hit) => ({ body: workspaces.read(hit), version: hit.version }));
}

async function shown(workspace: Workspace, { reads }: Scope): Promise<WorkspaceView> {
  const { first, count } = portsOf(workspace);
  const project = (await projects.get(reads, workspace.projectId))?.body.name ?? workspace.projectId;
  return { ...workspace, trust: levelOf(workspace), project, ports: `${first}-${first + count - 1}` };
}

/** Stands free, or belongs to a task that has ended: what that one made is kept. What was put aside is not. */
async function isIdle({ use, state }: Workspace, { reads }: Scope): Promise<boolean> {
  if (state === 'leaving' || state === 'aside') return false;
  if (use.kind === 'free') return state === 'ready';
  const task = (await tasks.get(reads, use.taskId))?.body;
  return !task || isFinal(task.phase);
}
