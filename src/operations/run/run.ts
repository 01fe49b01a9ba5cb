import type { RunView } from '../../contract/run.ts';
import { Fault } from '../../domain/fault.ts';
import { healthOf } from '../../domain/run/health.ts';
import type { Run } from '../../domain/run/run.ts';
import { RunId } from '../../domain/values.ts';
import { endingWith } from '../../store/queries/every-hit.ts';
import { hostNameOf } from '../../store/records/hosts.ts';
import type { Versioned } from '../../store/records/record.ts';
import { runIndex, runs } from '../../store/records/runs.ts';
import { findTask } from '../find.ts';
import { type Handlers, plan, type Scope } from '../scope.ts';
import { taskChangeHandlers } from '../task/changes.ts';

type Runs = 'run.list' | 'run.show' | 'run.log' | 'run.events' | 'run.facts' | 'run.cancel' | 'task.log';

export const runHandlers: Pick<Handlers, Runs> = {
  'run.list': async ({ task, limit }, scope) => {
    const index = task === undefined ? runIndex.all : runIndex.task((await findTask(scope, task)).body.id);
    const hits = await scope.reads.scan({ index, limit, reverse: true });
    return plan({ items: await Promise.all(hits.map((hit) => viewOf(runs.read(hit), scope))) });
  },

  'run.show': async ({ id }, scope) => plan(await viewOf((await findRun(scope, id)).body, scope)),

  'run.log': async ({ id, ...place }, scope) => plan(await logOf((await findRun(scope, id)).body, place, scope)),

  'run.events': async ({ id, ...place }, scope) => {
    const run = (await findRun(scope, id)).body;
    const { id: runId, outputRemovedAt: removedAt } = run;
    if (removedAt !== undefined)
      return plan({ runId, items: [], next: place.after, more: false, ended: true, isText: false, removedAt });
    return plan({ runId, ...(await scope.output.events(run, place)) });
  },

  'run.facts': async ({ id }, scope) => plan(await scope.output.facts((await findRun(scope, id)).body.id)),

  'run.cancel': async ({ id }, scope) => taskChangeHandlers['task.cancel']({ id: (await findRun(scope, id)).body.taskId }, scope),

  'task.log': async ({ id, ...place }, scope) => {
    const task = await findTask(scope, id);
    const [newest] = await scope.reads.scan({ index: runIndex.agents(task.body.id), limit: 1, reverse: true });
    if (!newest) return plan({ items: [], next: place.after, ended: false });
    return plan(await logOf(runs.read(newest), place, scope));
  },
};

interface Place {
  readonly stream: 'out' | 'err';
  readonly after: number;
  readonly last?: number | undefined;
  readonly limit: number;
}

async function logOf(run: Run, { stream, after, last, limit }: Place, { output }: Scope) {
  // Asked before it is read: what is printed between the two is still to come.
  const final = run.phase.state === 'ended';
  if (run.outputRemovedAt !== undefined)
    return { runId: run.id, items: [], next: after, ended: true, removedAt: run.outputRemovedAt };
  const { items, next } = await output.read(run.id, stream, { after, last, lines: limit, final });
  return { runId: run.id, items: items.map((item) => ({ ...item })), next, ended: final && items.length === 0 };
}

async function viewOf(run: Run, { reads, now, settings }: Scope): Promise<RunView> {
  const { watch, ...bare } = run;
  const health = healthOf(run, { now, stallMs: settings.current().values.stall_seconds * 1_000 });
  const host = await hostNameOf(reads, run.host);
  const rest = { ...bare, host, hostId: run.host, ...(health ? { health } : {}) };
  if (!watch) return rest;
  const { state: _state, outbox: _outbox, skipping: _skipping, ...seen } = watch;
  return { ...rest, watch: seen };
}

export async function findRun({ reads }: Scope, ref: string): Promise<Versioned<Run>> {
  const wanted = ref.toLowerCase();
  const seen = RunId.safeParse(wanted).success ? await runs.get(reads, wanted) : await byTail(reads, wanted);
  if (!seen) throw new Fault('not_found', `no run ${JSON.stringify(ref)}`, { run: ref });
  return seen;
}

async function byTail(reads: Scope['reads'], tail: string): Promise<Versioned<Run> | undefined> {
  if (tail.length < 4) return undefined;
  const hit = await endingWith(reads, runIndex.all, tail);
  if (hit === 'two') throw new Fault('invalid', `more than one run ends with ${tail}: give more characters of its id`);
  return hit && { body: runs.read(hit), version: hit.version };
}
