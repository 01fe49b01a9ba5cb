import { z } from 'zod';
import { LIMITS } from '../../../domain/limits.ts';
import { Instant, RunId, TaskId } from '../../../domain/values.ts';
import { records } from '../../../store/records/record.ts';

const most = LIMITS.traceBacklog.value;

/**
 * What has not been told to the collector yet. It is written down now and then, and after spans were taken: whoever
 * begins after a crash goes on from there, and tells some spans twice, under the same ids, rather than none.
 */
const Backlog = z.strictObject({
  id: z.literal('otlp'),
  /** Every run made until this one is known: it has been told, or is in the list. */
  until: z.string(),
  runs: z.array(RunId).max(most),
  /** Tasks with something to tell; what ended before `since` was told. */
  tasks: z.array(z.strictObject({ id: TaskId, since: Instant })).max(most),
});
type Backlog = z.infer<typeof Backlog>;
export const backlogs = records<Backlog>({ kind: 'trace', schema: Backlog, idOf: ({ id }) => id, entriesOf: () => [] });

interface Waiting {
  readonly since: Instant;
  readonly state: 'open' | 'ended';
}

/** What has ended and is about to be told. */
export interface EndedWork {
  readonly runs: readonly RunId[];
  readonly tasks: readonly (readonly [TaskId, Waiting])[];
}

/** The same in memory. Past its limit the oldest go, and are counted. */
export class UnsentWork {
  readonly runs = new Map<RunId, 'open' | 'ended'>();
  readonly tasks = new Map<TaskId, Waiting>();
  until = '';
  isChanged = false;
  readonly #onDrop: (spans: number) => void;

  constructor(onDrop: (spans: number) => void) {
    this.#onDrop = onDrop;
  }

  get size(): number {
    return this.runs.size + this.tasks.size;
  }

  run(id: RunId, state: 'open' | 'ended'): void {
    this.isChanged = true;
    this.runs.set(id, state);
    if (id > this.until) this.until = id;
    this.#bound(this.runs);
  }

  task(id: TaskId, since: Instant, state: 'open' | 'ended'): void {
    this.isChanged = true;
    this.tasks.set(id, { since: this.tasks.get(id)?.since ?? since, state });
    this.#bound(this.tasks);
  }

  told({ runs, tasks }: EndedWork): void {
    this.isChanged = true;
    for (const id of runs) this.runs.delete(id);
    // One that has ended once more meanwhile has more to tell.
    for (const [id, told] of tasks) if (this.tasks.get(id) === told) this.tasks.delete(id);
  }

  row(until: string): Backlog {
    const tasks = [...this.tasks].map(([id, { since }]) => ({ id, since }));
    return { id: 'otlp', until, runs: [...this.runs.keys()], tasks };
  }

  #bound(waiting: Map<string, unknown>): void {
    if (waiting.size <= most) return;
    const [oldest] = waiting.keys();
    if (oldest !== undefined) waiting.delete(oldest);
    this.#onDrop(1);
  }
}
