import type { Run } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { RunId } from '../../domain/values.ts';
import { keptRef } from '../../domain/work/work.ts';
import { projects } from '../../store/records/projects.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import { bounded } from './bounded.ts';
import type { WorkDeps } from './deps.ts';

/** An agent that ends at once is kept when it has ended. */
const PAUSE_MS = 300;
/** A run is kept no more often than this, and is busy with it for no more than a small part of its time. */
const EVERY_MS = 3_000;
const PART_OF_TIME = 20;
/** Longest one may take, and how long the last has to end once its run has ended. */
const MOST_MS = 60_000;
const OVER_MS = 5_000;
/** Each is a handful of programs that read a whole tree. */
const AT_ONCE = 2;

interface Turns {
  timer?: NodeJS.Timeout | undefined;
  going?: Promise<void> | undefined;
  readonly ending: AbortController;
  /** It is at it, and does not wait for its place any more. */
  isKeeping?: boolean;
  /** A turn ended while the one before was being kept. */
  isDue: boolean;
  /** No sooner again than then. */
  notBefore: number;
}

/**
 * Keeps what is in a workspace when a turn of its agent is over, under the same ref as when the run is. It goes on beside
 * everything else and nobody waits for it, but whoever keeps the same for good. What is lost of it is kept then.
 */
export class TurnSaver {
  readonly #needs: WorkDeps;
  readonly #runs = new Map<RunId, Turns>();
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(needs: WorkDeps) {
    this.#needs = needs;
  }

  /** A turn is over: soon all of it will be safe. */
  turnOver(run: Run, task: Task): void {
    if (run.kind !== 'agent' || !task.work?.workspaceId) return;
    const turns: Turns = this.#runs.get(run.id) ?? { notBefore: 0, isDue: false, ending: new AbortController() };
    this.#runs.set(run.id, turns);
    turns.isDue = turns.going !== undefined;
    if (turns.timer || turns.going) return;
    const waitMs = Math.max(PAUSE_MS, turns.notBefore - this.#needs.elapsed());
    turns.timer = setTimeout(() => {
      turns.timer = undefined;
      turns.going = this.#keep(run, task, turns);
    }, waitMs);
    turns.timer.unref();
  }

  /** The run has ended: nothing of it is begun any more, and what goes on is over, or has been ended, when this resolves. */
  async over(runId: RunId): Promise<void> {
    const turns = this.#runs.get(runId);
    this.#runs.delete(runId);
    clearTimeout(turns?.timer);
    // One that still waits for its place will find that its run is over.
    if (!turns?.isKeeping) return;
    const timer = setTimeout(() => turns.ending.abort(new Error('its run has ended')), OVER_MS);
    await turns.going;
    clearTimeout(timer);
  }

  async #keep(run: Run, task: Task, turns: Turns): Promise<void> {
    await this.#turn();
    const began = this.#needs.elapsed();
    try {
      turns.isKeeping = this.#runs.has(run.id);
      const bounds = { forMs: MOST_MS, signal: turns.ending.signal };
      if (turns.isKeeping) await bounded(this.#needs.gitWork, bounds, () => keepTurn(run, task, this.#needs));
    } catch (error) {
      this.#needs.log('turn.not-kept', { taskId: task.id, runId: run.id, error: String(error) });
    } finally {
      const now = this.#needs.elapsed();
      turns.notBefore = now + Math.max(EVERY_MS, (now - began) * PART_OF_TIME);
      const next = this.#waiting.shift();
      if (next) next();
      else this.#busy -= 1;
      turns.going = undefined;
      turns.isKeeping = false;
    }
    if (turns.isDue && this.#runs.has(run.id)) this.turnOver(run, task);
  }

  /** Resolves when there is room; whoever leaves hands its place on. */
  async #turn(): Promise<void> {
    if (this.#busy >= AT_ONCE) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#busy += 1;
  }
}

async function keepTurn(run: Run, { id, title, work }: Task, { store, gitWork }: WorkDeps): Promise<void> {
  const workspace = work?.workspaceId && (await workspaces.get(store, work.workspaceId))?.body;
  if (!workspace || workspace.use.kind !== 'task' || workspace.use.taskId !== id) return;
  const project = (await projects.get(store, workspace.projectId))?.body;
  if (project) await gitWork.save({ workspace, project }, { ref: keptRef(id, run.id), origin: { task: { id, title }, run } });
}
