import { isFault } from '../../../domain/fault.ts';
import type { JournalEntry } from '../../../domain/journal/entry.ts';
import { isFinal, type Task } from '../../../domain/task/task.ts';
import type { RunId, TaskId } from '../../../domain/values.ts';
import type { Store, Version } from '../../../store/port.ts';
import { everyHit } from '../../../store/queries/every-hit.ts';
import { entriesAfter } from '../../../store/records/journal.ts';
import { runIndex, runs } from '../../../store/records/runs.ts';
import { tasks } from '../../../store/records/tasks.ts';
import type { Commits } from '../commits.ts';
import { factsIn } from '../journal-facts.ts';
import type { Meters } from '../meters.ts';
import { backlogs, type EndedWork, UnsentWork } from './backlog.ts';
import { type Life, livesOf, runSpans, taskSpans } from './derive-spans.ts';
import type { OtelSettings } from './otel-settings.ts';
import { sendSpans } from './send-spans.ts';
import type { TraceSpan } from './span.ts';

export interface TraceDeps {
  readonly store: Store;
  readonly commits: Commits;
  readonly meters: Pick<Meters, 'add' | 'set'>;
  readonly settings: OtelSettings;
  readonly version: string;
  /** This machine, whose runs are alive when traces are first asked for. */
  readonly host: string;
  log(event: string, fields: Record<string, unknown>): void;
  readonly everyMs?: number;
}

const EVERY_MS = 2_000;
const LONGEST_REST_MS = 60_000;
/** Of one request. */
const THINGS = 100;
const LAST_MS = 2_000;
const ENTRIES = 200;
const MOST_ENTRIES = 10_000;

/**
 * Tells a collector of every run and task that has ended. What is to be told is in the rows and nothing is held but names,
 * so a collector that is away costs a list, and a process that dies loses nothing. Only for the holder of the lease.
 */
export class Tracing {
  readonly #needs: TraceDeps;
  readonly #untold: UnsentWork;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isRecovered = false;
  #failures = 0;
  #waitMs = 0;
  #version: Version | 'absent' = 'absent';
  /** The newest run when the row was last written: a commit that was under way then may be of an older one. */
  #settledUntil = '';
  #writtenUntil = '';
  #unheard: () => void = () => undefined;

  constructor(needs: TraceDeps) {
    this.#needs = needs;
    this.#untold = new UnsentWork((spans) => needs.meters.add('fleet_trace_spans_total', { result: 'dropped' }, spans));
  }

  /** Hears of what is committed from now on, and finds what was before. */
  start(): void {
    const { commits, log } = this.#needs;
    const failed = (error: unknown) => log('trace.failed', { error: String(error) });
    this.#unheard = commits.tell((writes) => {
      for (const fact of factsIn(writes))
        if (fact.of === 'run') this.#sawRun(fact.run.id, fact.run.taskId, fact.run.createdAt, fact.entry.what === 'ended');
        else if (fact.of === 'task') this.#sawTask(fact.task, fact.entry);
    }, failed);
    this.#looking = this.#look().catch(failed).then(this.#next);
  }

  /** Tells what can be told at once, and remembers the rest. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#unheard();
    const late = setTimeout(() => this.#stopping.abort(), LAST_MS);
    await this.#looking;
    clearTimeout(this.#timer);
    if (!this.#stopping.signal.aborted) await this.#look().catch(() => undefined);
    clearTimeout(late);
    this.#stopping.abort();
  }

  #sawRun(id: RunId, taskId: TaskId, since: string, hasEnded: boolean): void {
    const known = this.#untold.runs.get(id);
    if (hasEnded) this.#untold.run(id, 'ended');
    else if (known === undefined) this.#untold.run(id, 'open');
    if (!this.#untold.tasks.has(taskId)) this.#untold.task(taskId, since, 'open');
  }

  #sawTask(task: Task, { from, to, at, n }: JournalEntry): void {
    if (to === undefined || to === from || (n === 1 && isFinal(task.phase))) return;
    if (isFinal(task.phase)) this.#untold.task(task.id, at, 'ended');
  }

  /** From where the last one left off; the first one begins with what is alive. */
  async #recover(): Promise<void> {
    const { store } = this.#needs;
    const seen = await backlogs.get(store, 'otlp');
    this.#version = seen?.version ?? 'absent';
    const [newest] = await store.scan({ index: runIndex.all, limit: 1, reverse: true });
    if (!seen) {
      const { key: { id = '' } = {} } = newest ?? {};
      this.#untold.until = this.#settledUntil = id;
      this.#untold.isChanged = true;
      for await (const { key } of everyHit(store, runIndex.live(this.#needs.host))) await this.#recoverRun(key.id as RunId);
      return;
    }
    this.#settledUntil = seen.body.until;
    this.#untold.until = seen.body.until;
    for (const { id, since } of seen.body.tasks) {
      const task = (await tasks.get(store, id))?.body;
      if (task) this.#untold.task(id, since, isFinal(task.phase) ? 'ended' : 'open');
    }
    for (const id of seen.body.runs) await this.#recoverRun(id);
    for await (const { key } of everyHit(store, runIndex.all, { from: `${seen.body.until} ` }))
      await this.#recoverRun(key.id as RunId);
  }

  async #recoverRun(id: RunId): Promise<void> {
    const { store } = this.#needs;
    const run = (await runs.get(store, id))?.body;
    if (!run) return;
    this.#sawRun(id, run.taskId, run.createdAt, run.phase.state === 'ended');
    const task = (await tasks.get(store, run.taskId))?.body;
    if (task && isFinal(task.phase)) this.#untold.task(task.id, run.createdAt, 'ended');
  }

  readonly #next = (): void => {
    if (this.#stopping.signal.aborted) return;
    const { everyMs = EVERY_MS } = this.#needs;
    const restMs = Math.max(this.#waitMs, Math.min(everyMs * 2 ** this.#failures, LONGEST_REST_MS));
    this.#timer = setTimeout(() => {
      this.#looking = this.#look()
        .catch((error: unknown) => this.#needs.log('trace.failed', { error: String(error) }))
        .then(this.#next);
    }, restMs);
    this.#timer.unref();
  };

  /** Everything that has ended, a request at a time, until the collector has had enough. */
  async #look(): Promise<void> {
    if (!this.#isRecovered) await this.#recover();
    this.#isRecovered = true;
    for (;;) {
      const over = this.#ended();
      if (over.runs.length + over.tasks.length === 0) break;
      const spans = await this.#spansOf(over);
      if (!(await this.#hand(spans))) break;
      this.#untold.told(over);
      await this.#write();
    }
    await this.#write();
    this.#needs.meters.set('fleet_trace_backlog', this.#untold.size);
  }

  #ended(): EndedWork {
    const runsOver = [...this.#untold.runs].filter(([, state]) => state === 'ended').slice(0, THINGS);
    const tasksOver = [...this.#untold.tasks].filter(([, { state }]) => state === 'ended').slice(0, THINGS);
    return { runs: runsOver.map(([id]) => id), tasks: tasksOver };
  }

  async #spansOf(over: EndedWork): Promise<TraceSpan[]> {
    const { store } = this.#needs;
    const spans: TraceSpan[] = [];
    const known = new Map<TaskId, readonly Life[]>();
    const lives = async (taskId: TaskId) => {
      const found = known.get(taskId) ?? (await this.#livesOf(taskId));
      known.set(taskId, found);
      return found;
    };
    for (const id of over.runs) {
      const run = (await runs.get(store, id))?.body;
      if (run) spans.push(...runSpans(run, await lives(run.taskId)));
    }
    for (const [id, { since }] of over.tasks) {
      const task = (await tasks.get(store, id))?.body;
      if (task) for (const life of await lives(id)) if ((life.end?.at ?? '') >= since) spans.push(...taskSpans(task, life));
    }
    return spans;
  }

  async #livesOf(taskId: TaskId): Promise<Life[]> {
    const { store } = this.#needs;
    const task = (await tasks.get(store, taskId))?.body;
    if (!task) return [];
    const journal: JournalEntry[] = [];
    while (journal.length < MOST_ENTRIES) {
      const page = await entriesAfter(store, taskId, journal.length, Math.min(ENTRIES, task.seq - journal.length + 1));
      journal.push(...page);
      if (page.length < ENTRIES) break;
    }
    return livesOf(task, journal);
  }

  /** Whether they need not be told again. */
  async #hand(spans: readonly TraceSpan[]): Promise<boolean> {
    const { settings, version, meters, log } = this.#needs;
    this.#waitMs = 0;
    if (spans.length === 0) return true;
    const sent = await sendSpans(spans, settings, version, this.#stopping.signal);
    if (sent.state === 'later') {
      this.#failures += 1;
      this.#waitMs = sent.afterMs ?? 0;
      if ((this.#failures & (this.#failures - 1)) === 0)
        log('trace.waits', { failures: this.#failures, why: sent.why, backlog: this.#untold.size });
      return false;
    }
    this.#failures = 0;
    const dropped = sent.state === 'refused' ? spans.length : sent.rejected;
    if (dropped > 0) log('trace.refused', { spans: dropped, ...(sent.state === 'refused' ? { why: sent.why } : {}) });
    if (dropped > 0) meters.add('fleet_trace_spans_total', { result: 'dropped' }, dropped);
    if (dropped < spans.length) meters.add('fleet_trace_spans_total', { result: 'sent' }, spans.length - dropped);
    return true;
  }

  async #write(): Promise<void> {
    if (!this.#untold.isChanged && this.#writtenUntil === this.#untold.until) return;
    const [settled, until] = [this.#settledUntil, this.#untold.until];
    this.#untold.isChanged = false;
    try {
      this.#version = await this.#needs.store.commit([backlogs.put(this.#untold.row(settled), this.#version)]);
      this.#writtenUntil = settled;
      this.#settledUntil = until;
    } catch (error) {
      this.#untold.isChanged = true;
      // Another engine has written it: this one looks again, if it is one still.
      if (isFault(error, 'conflict')) this.#isRecovered = false;
      throw error;
    }
  }
}
