import type { Run } from '../../src/domain/run/run.ts';
import { transition } from '../../src/domain/task/transition.ts';
import type { RunId, TaskId } from '../../src/domain/values.ts';
import { reportOf } from '../../src/domain/work/report.ts';
import { reports } from '../../src/store/records/findings.ts';
import { changeWrites } from '../../src/store/records/journal.ts';
import { runs } from '../../src/store/records/runs.ts';
import { tasks } from '../../src/store/records/tasks.ts';
import { withProject } from './shop.ts';

/** A memory house in which runs of agents call: each is claimed for its task, and nothing is really started. */
export async function withRuns() {
  const house = await withProject();
  const begin = async (taskId: string, more: Partial<Run> = {}) => {
    const run: Run = {
      id: house.ids.run(),
      seq: 1,
      taskId: taskId as TaskId,
      kind: 'agent',
      attempt: 1,
      executor: 'claude',
      host: 'here',
      holds: [],
      phase: { state: 'claimed', since: house.now() },
      createdAt: house.now(),
      updatedAt: house.now(),
      ...more,
    };
    const seen = await tasks.get(house.store, taskId);
    if (!seen) throw new Error(`no task ${taskId}`);
    const held = transition(seen.body, { type: 'claim', at: house.now(), holder: { kind: 'run', runId: run.id } });
    const author = { by: 'engine', at: house.now() };
    await house.store.commit([runs.put(run, 'absent'), ...changeWrites(tasks, seen, held, { author, note: { what: 'claim' } })]);
    const call = house.as(run.id, 'run', { run: { runId: run.id, taskId: taskId as TaskId } });
    return { runId: run.id, call };
  };
  /** Its process is gone; what became of its task is said with it. */
  const end = async (runId: RunId, outcome: 'succeeded' | 'blocked' = 'succeeded') => {
    const seen = await runs.get(house.store, runId);
    if (!seen) throw new Error(`no run ${runId}`);
    const phase = { state: 'ended', at: house.now(), outcome, detail: 'as it was told' } as const;
    await house.store.commit([runs.put({ ...seen.body, phase }, seen.version)]);
  };
  /** A report of a run of that task, a second after the one before. */
  const handIn = async (taskId: TaskId, summary: string, more: object = {}) => {
    house.pass(1_000);
    const report = reportOf({ runId: house.ids.run(), taskId, at: house.now(), submitted: { summary, ...more } });
    await house.store.commit([reports.put(report, 'absent')]);
  };
  return { ...house, begin, end, handIn };
}
