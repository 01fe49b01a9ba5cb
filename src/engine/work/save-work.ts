import { LIMITS } from '../../domain/limits.ts';
import { isMachineError } from '../../domain/machine-error.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { RunId } from '../../domain/values.ts';
import { asidePath } from '../../domain/work/aside.ts';
import type { GitFacts } from '../../domain/work/report.ts';
import { keptRef, type Work } from '../../domain/work/work.ts';
import { projects } from '../../store/records/projects.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import type { UnsavedWork } from '../supervise/deps.ts';
import { BackgroundWork } from './background-work.ts';
import { bounded } from './bounded.ts';
import type { WorkDeps } from './deps.ts';
import { planAside } from './put-aside.ts';
import type { TurnSaver } from './save-turns.ts';
import { Setbacks } from './setbacks.ts';
import { PATIENCE_MS, reasonOf, recordTrouble } from './trouble.ts';

/** What became of the work of a run that has ended. */
export interface SaveResult {
  readonly kept?: NonNullable<Work['kept']> | undefined;
  readonly git?: GitFacts | undefined;
  /** What is to be said of it besides. */
  readonly remark?: string | undefined;
  /** It could not be kept: its workspace was put aside whole. */
  readonly unkept?: UnsavedWork | undefined;
}

/** Once somebody has asked for its task to be canceled, keeping may go on for so long. */
const CANCELED_MS = 10_000;

/** An engine before us has given it up. */
const ASIDE = 'it is put aside already';

interface Tries {
  /** Those that failed by what is in the workspace, and not by the state of the machine. */
  count: number;
  /** Time these took. */
  spentMs: number;
  /** The try that goes on. */
  going?: { readonly since: number; readonly ending: AbortController; timer?: NodeJS.Timeout };
  /** Why there are no more of them. */
  givenUp?: string;
}

/**
 * Keeps what runs leave in their workspaces, in a few tries and a bounded time each. What the machine refuses for a while is
 * waited out. After that the workspace is put aside whole, and the run can end.
 */
export class WorkSaver {
  readonly #needs: WorkDeps;
  readonly #turns: Pick<TurnSaver, 'over'>;
  readonly #beside = new BackgroundWork();
  readonly #setbacks: Setbacks;
  readonly #tries = new Map<RunId, Tries>();

  constructor(needs: WorkDeps, turns: Pick<TurnSaver, 'over'>) {
    this.#needs = needs;
    this.#turns = turns;
    this.#setbacks = new Setbacks('keep work', needs);
  }

  onDone(stir: () => void): void {
    this.#beside.onDone(stir);
  }

  /** Undefined while it goes on. */
  async take(run: Run, task: Task): Promise<SaveResult | undefined> {
    const tries: Tries = this.#tries.get(run.id) ?? { count: 0, spentMs: 0 };
    this.#tries.set(run.id, tries);
    if (task.cancelAsked) this.#hurry(tries);
    else if (tries.givenUp === undefined && !this.#setbacks.isDue(run.id)) return undefined;
    if (tries.givenUp !== undefined) {
      const aside = await putAside(run, task, tries.givenUp, this.#needs);
      return aside && this.#over(run.id, aside);
    }
    try {
      const saved = await this.#beside.take(`keep ${run.id}`, () => this.#try(run, task, tries));
      if (!saved) return undefined;
      if (saved.value !== ASIDE) return this.#over(run.id, saved.value);
      tries.givenUp = ASIDE;
    } catch (error) {
      await this.#failed(error, { run, task, tries });
    }
    return tries.givenUp === undefined ? undefined : this.take(run, task);
  }

  async #try(run: Run, task: Task, tries: Tries): Promise<SaveResult | typeof ASIDE> {
    const { elapsed, workRules, gitWork } = this.#needs;
    const going: NonNullable<Tries['going']> = { since: elapsed(), ending: new AbortController() };
    tries.going = going;
    try {
      // What was begun at the end of a turn must not come after this, with less in it.
      await this.#turns.over(run.id);
      const forMs = Math.max(1, workRules().keepSeconds * 1_000 - tries.spentMs);
      return await bounded(gitWork, { forMs, signal: going.ending.signal }, () => keepWork(run, task, this.#needs));
    } catch (error) {
      if (!isMachineError(error)) tries.spentMs += elapsed() - going.since;
      throw error;
    } finally {
      clearTimeout(going.timer);
      delete tries.going;
    }
  }

  #hurry({ going }: Tries): void {
    if (!going || going.timer) return;
    const leftMs = Math.max(0, going.since + CANCELED_MS - this.#needs.elapsed());
    going.timer = setTimeout(() => going.ending.abort(new Error('its task was canceled meanwhile')), leftMs).unref();
  }

  async #failed(error: unknown, { run, task, tries }: { run: Run; task: Task; tries: Tries }): Promise<void> {
    const { forMs } = this.#setbacks.note(run.id, error, { taskId: task.id, runId: run.id });
    const isPassing = isMachineError(error);
    if (!isPassing) tries.count += 1;
    const isLate = tries.spentMs >= this.#needs.workRules().keepSeconds * 1_000;
    const isEnough = isPassing ? forMs >= PATIENCE_MS : tries.count >= LIMITS.keepAttempts.value || isLate;
    if (isEnough || task.cancelAsked) tries.givenUp = reasonOf(error);
    else await recordTrouble(task.id, error, this.#needs);
  }

  #over(runId: RunId, saved: SaveResult): SaveResult {
    this.#tries.delete(runId);
    this.#setbacks.over(runId);
    return saved;
  }
}

/** What we made a commit of is its work; the commit itself is not. */
const withoutOurs = ({ commits, totals, files }: GitFacts, ours: string): GitFacts => ({
  commits: commits.filter(({ id }) => id !== ours),
  totals: { ...totals, commits: Math.max(0, totals.commits - 1) },
  files,
});

/** The workspace of the task, if it is one of a repository. */
async function placeOf({ id, projectId, work }: Task, { store }: WorkDeps) {
  const workspace = work?.workspaceId && (await workspaces.get(store, work.workspaceId));
  const project = projectId && (await projects.get(store, projectId))?.body;
  if (!work || !workspace || !project || workspace.body.use.kind !== 'task' || workspace.body.use.taskId !== id) return undefined;
  return { work, workspace, project };
}

async function keepWork(run: Run, task: Task, needs: WorkDeps): Promise<SaveResult | typeof ASIDE> {
  const place = await placeOf(task, needs);
  if (!place) return {};
  const { work, workspace, project } = place;
  if (workspace.body.state === 'aside') return ASIDE;
  const ref = keptRef(task.id, run.id);
  const safe = await needs.gitWork.save({ workspace: workspace.body, project }, { ref, origin: { task, run } });
  if (safe === undefined) return {};
  const { commit } = safe;
  const git = await needs.gitWork.changes(project, { base: work.base, tip: commit });
  const remark = safe.unread === undefined ? {} : { remark: `its files were taken without its commits: ${safe.unread}` };
  return { kept: { commit, ref, at: needs.now() }, git: safe.isOurs ? withoutOurs(git, commit) : git, ...remark };
}

/** Its workspace is put aside, by `furnish`; undefined until that is done. */
async function putAside(run: Run, task: Task, why: string, needs: WorkDeps): Promise<SaveResult | undefined> {
  const place = await placeOf(task, needs);
  if (!place) return {};
  const { body } = place.workspace;
  if (body.state !== 'aside')
    await needs.store.commit([planAside(place.workspace, { why, runId: run.id }, needs)], { flush: true });
  if (body.state !== 'aside' || body.aside?.moving) return undefined;
  return { unkept: { workspaceId: body.id, path: asidePath(body), why: body.why ?? '' } };
}
