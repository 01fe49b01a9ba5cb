import type { Run } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Version, Write } from '../../store/port.ts';
import { allHits } from '../../store/queries/every-hit.ts';
import type { Versioned as Read } from '../../store/records/record.ts';
import { runIndex, runs } from '../../store/records/runs.ts';
import { tasks } from '../../store/records/tasks.ts';
import type { EngineDeps } from '../deps.ts';

export interface KnownRun {
  readonly run: Read<Run>;
  readonly task: Read<Task> | undefined;
  /** This very engine has claimed it, and nobody has begun to start it: there can be nothing of it on this machine. */
  readonly isNew: boolean;
}

/** Whatever was missed is noticed after so long. */
const KEPT_MS = 15_000;

/**
 * The live runs of this host and their tasks. Read when somebody else has written; changed in step with every commit of
 * the engine itself. Only a cache: a decision from an old picture fails on the version it believes in, and looks again.
 */
export class LiveRuns {
  readonly #needs: Pick<EngineDeps, 'store' | 'host' | 'elapsed'>;
  readonly #isTold: boolean;
  readonly #runs = new Map<string, Read<Run>>();
  readonly #tasks = new Map<string, Read<Task>>();
  readonly #new = new Set<string>();
  /** Rows the engine has written since the look under way began: that look may be older than they are. */
  readonly #written = new Set<string>();
  #isOld = true;
  #readAt = 0;

  constructor({ store, host, elapsed, commitFeed }: Pick<EngineDeps, 'store' | 'host' | 'elapsed' | 'commitFeed'>) {
    this.#needs = { store, host, elapsed };
    this.#isTold = commitFeed !== undefined;
    commitFeed?.subscribe({
      own: (writes, version) => this.#wrote(writes, version),
      other: () => {
        this.#isOld = true;
      },
    });
  }

  async look(): Promise<readonly KnownRun[]> {
    const age = this.#needs.elapsed() - this.#readAt;
    if (this.#isOld || !this.#isTold || age > KEPT_MS) await this.#read();
    await this.#findOwners();
    return [...this.#runs.values()].map((run) => ({
      run,
      task: this.#tasks.get(run.body.taskId),
      isNew: this.#new.has(run.body.id),
    }));
  }

  /** A run may come without its task: the set-up and the gate of finished work do. */
  async #findOwners(): Promise<void> {
    const owners = new Set([...this.#runs.values()].map(({ body }) => body.taskId));
    const unknown = [...owners].filter((id) => !this.#tasks.has(id));
    const rows = await Promise.all(unknown.map((id) => this.#needs.store.get(tasks.key(id))));
    for (const row of rows) if (row && !this.#tasks.has(row.key.id)) this.#tasks.set(row.key.id, seen(tasks.read(row), row));
  }

  /** From now on there may be something of it. */
  begins(runId: string): void {
    this.#new.delete(runId);
  }

  async #read(): Promise<void> {
    const { store, host, elapsed } = this.#needs;
    this.#isOld = false;
    this.#readAt = elapsed();
    this.#written.clear();
    try {
      const hits = await allHits(store, runIndex.live(host));
      const live = new Map(hits.map((hit) => [hit.key.id, this.#unchanged(this.#runs, hit) ?? seen(runs.read(hit), hit)]));
      const owners = [...new Set([...live.values()].map(({ body }) => body.taskId))];
      const rows = await Promise.all(owners.map((id) => store.get(tasks.key(id))));
      const found = rows.flatMap((row) => (row ? [row] : []));
      this.#replace(this.#runs, live);
      this.#replace(
        this.#tasks,
        new Map(found.map((row) => [row.key.id, this.#unchanged(this.#tasks, row) ?? seen(tasks.read(row), row)])),
      );
    } catch (error) {
      this.#isOld = true;
      throw error;
    }
  }

  /** A version is never used twice: what has the same one need not be read again. */
  #unchanged<Body>(known: Map<string, Read<Body>>, row: { key: { id: string }; version: Version }): Read<Body> | undefined {
    const before = known.get(row.key.id);
    return before?.version === row.version ? before : undefined;
  }

  #replace<Body>(known: Map<string, Read<Body>>, now: Map<string, Read<Body>>): void {
    for (const id of known.keys()) if (!now.has(id) && !this.#written.has(id)) known.delete(id);
    for (const [id, row] of now) if (!this.#written.has(id)) known.set(id, row);
  }

  #wrote(writes: readonly Write[], version: Version): void {
    for (const write of writes) if (write.key.kind === runs.kind) this.#wroteRun(write, version);
    const owners = new Set([...this.#runs.values()].map(({ body }) => body.taskId as string));
    for (const write of writes) {
      const { kind, id } = write.key;
      if (kind !== tasks.kind || write.op === 'check') continue;
      this.#written.add(id);
      if (write.op === 'put' && owners.has(id)) this.#tasks.set(id, { body: write.body as Task, version });
      else this.#tasks.delete(id);
    }
  }

  #wroteRun(write: Write, version: Version): void {
    if (write.op === 'check') return;
    const { id } = write.key;
    this.#written.add(id);
    const body = write.op === 'put' ? (write.body as Run) : undefined;
    if (body && body.host === this.#needs.host && body.phase.state !== 'ended') {
      this.#runs.set(id, { body, version });
      if (write.op === 'put' && write.expect === 'absent') this.#new.add(id);
    } else {
      this.#runs.delete(id);
      this.#new.delete(id);
    }
  }
}

const seen = <Body>(body: Body, { version }: { version: Version }): Read<Body> => ({ body, version });
