import type { Hold } from '../../src/domain/hold/hold.ts';
import { isInForce, type Pause, pauseId } from '../../src/domain/hold/pause.ts';
import type { Run } from '../../src/domain/run/run.ts';
import { isFinal, type Task } from '../../src/domain/task/task.ts';
import type { MemoryDisk } from '../../src/store/memory/memory-disk.ts';
import type { Write } from '../../src/store/port.ts';
import { InvariantBroken } from './network.ts';

/** What must be true after every commit, whoever made it. Keeps the last state of every task to compare with. */
export class Invariants {
  readonly #disk: MemoryDisk;
  readonly #limits: (scope: string) => number;
  readonly #tasks = new Map<string, Task>();
  readonly #doneAndDeleted = new Set<string>();
  readonly #runs = new Map<string, Run>();

  constructor(disk: MemoryDisk, limits: (scope: string) => number) {
    this.#disk = disk;
    this.#limits = limits;
  }

  check(writes: readonly Write[]): void {
    for (const { key, op } of writes) {
      if (op === 'delete') this.#deleted(key.id);
      if (op !== 'put') continue;
      const body = this.#disk.get(key)?.body;
      if (key.kind === 'task') this.#task(body as Task);
      if (key.kind === 'run') this.#run(body as Run);
      if (key.kind === 'hold') this.#hold(body as Hold);
    }
  }

  #deleted(id: string): void {
    if (this.#tasks.get(id)?.phase.state === 'done') this.#doneAndDeleted.add(id);
    this.#tasks.delete(id);
  }

  #task(task: Task): void {
    const before = this.#tasks.get(task.id);
    this.#tasks.set(task.id, task);
    const { phase } = task;
    if (before && isFinal(before.phase)) same(before.phase, phase, `final is final: ${task.id}`);
    if (before) must(task.seq - before.seq === 0 || task.seq - before.seq === 1, `history is dense: ${task.id}`);
    must(
      this.#disk.get({ kind: 'journal', id: `${task.id}/${task.seq}` }) !== undefined,
      `every change is in the journal: ${task.id}/${task.seq}`,
    );
    if (phase.state !== 'running' || phase.holder.kind !== 'run') return;
    const run = this.#disk.get({ kind: 'run', id: phase.holder.runId })?.body as Run | undefined;
    must(run?.taskId === task.id && run.phase.state !== 'ended', `a running task has one live run: ${task.id}`);
    if (before?.phase.state === 'running') same(before.phase.holder, phase.holder, `one valid fence: ${task.id}`);
    else must(before?.phase.state === 'queued', `only queued tasks are claimed: ${task.id} was ${before?.phase.state}`);
    for (const dependency of task.dependsOn) {
      const state = this.#tasks.get(dependency)?.phase.state;
      const done = state === 'done' || this.#doneAndDeleted.has(dependency);
      must(done, `never before its dependencies: ${task.id} ran while ${dependency} was ${state}`);
    }
  }

  #run(run: Run): void {
    const before = this.#runs.get(run.id);
    this.#runs.set(run.id, run);
    if (before?.phase.state === 'ended') same(before.phase, run.phase, `a run ends once: ${run.id}`);
    if (!before) {
      const pause = this.#disk.get({ kind: 'pause', id: pauseId(run) })?.body as Pause | undefined;
      must(!isInForce(pause, run.createdAt), `nothing is claimed on a paused account: ${run.id} until ${pause?.until}`);
    }
    const live = [...this.#runs.values()].filter(({ taskId, phase }) => taskId === run.taskId && phase.state !== 'ended');
    must(live.length <= 1, `one live run per task: ${run.taskId}`);
  }

  #hold({ scope, holders }: Hold): void {
    must(
      holders.length <= this.#limits(scope),
      `limits are never exceeded: ${scope} has ${holders.length} of ${this.#limits(scope)}`,
    );
    must(new Set(holders).size === holders.length, `nobody is in twice: ${scope}`);
    for (const runId of holders) {
      const run = this.#disk.get({ kind: 'run', id: runId })?.body as Run | undefined;
      must(run?.phase.state === 'claimed' && run.holds.includes(scope), `only live runs occupy a scope: ${scope} ${runId}`);
    }
  }
}

export function must(truth: boolean, law: string): asserts truth {
  if (!truth) throw new InvariantBroken(law);
}

const same = (before: unknown, after: unknown, law: string) => must(JSON.stringify(before) === JSON.stringify(after), law);
