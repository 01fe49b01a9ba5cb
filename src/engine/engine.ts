import { setMaxListeners } from 'node:events';
import { Fault, isFault } from '../domain/fault.ts';
import type { Store } from '../store/port.ts';
import { adoptFormer } from './adopt-former.ts';
import { CommitFeed, engineStore } from './commit-feed.ts';
import { type Controller, type ControllerDeps, keepRunning } from './controller.ts';
import type { EngineDeps } from './deps.ts';
import { dispatch } from './dispatch.ts';
import { failover } from './failover.ts';
import { fencedGitWork, fencedRunner, withLease } from './fence.ts';
import { gauge } from './gauge.ts';
import { KnownRows } from './known-rows.ts';
import { type EngineIdentity, type HeldLease, takeLease } from './lease.ts';
import { Mutex } from './mutex.ts';
import { pruneDeleted } from './prune-deleted.ts';
import { pruneOutput, type Retention } from './prune-output.ts';
import type { QuestionDeps } from './questions/deps.ts';
import { withdrawing } from './questions/moot.ts';
import { questionPages } from './questions/questions.ts';
import { takePage } from './questions/take-page.ts';
import { release } from './release.ts';
import type { SuperviseDeps } from './supervise/deps.ts';
import { supervise } from './supervise/supervise.ts';
import { paced, Waker } from './waker.ts';
import { BackgroundWork } from './work/background-work.ts';
import { cleanUp } from './work/clean-up.ts';
import type { WorkDeps } from './work/deps.ts';
import { land } from './work/land.ts';
import { placeFor } from './work/place.ts';
import { preserveUnstarted, preserveWork, type ReportDeps } from './work/preserve-work.ts';
import { prove } from './work/prove.ts';
import { provision } from './work/provision.ts';
import { removeSpareWorkspaces } from './work/remove-spare.ts';
import { TurnSaver } from './work/save-turns.ts';
import { WorkSaver } from './work/save-work.ts';

export interface EngineOptions extends EngineDeps, Pick<ControllerDeps, 'log'> {
  /** With it, what is claimed is also started and watched over. */
  readonly supervision?: Omit<
    SuperviseDeps,
    keyof EngineDeps | 'log' | 'place' | 'preserveWork' | 'saveTurn' | 'onPreserved' | 'collectFinalQuestions'
  >;
  /** With it, work in repositories is kept apart, proved and landed. */
  readonly work?: Omit<WorkDeps, keyof EngineDeps | 'log'> & Pick<ReportDeps, 'resultFile'>;
  /** With it, questions are asked and answered on pages too. */
  readonly questions?: Pick<QuestionDeps, 'pages' | 'ask' | 'answer'>;
  /** With it, old output is removed. */
  readonly retention?: Retention;
  readonly self: EngineIdentity;
  alive(identity: EngineIdentity): Promise<boolean>;
  /** Whether a path lies in this home: a copy never touches the workspaces of its original. */
  isHere?(path: string): boolean;
  /** No other host works with this store. */
  readonly isSoleHost?: boolean;
  /** The lease is ours from now on. */
  onHeld?(): void;
}

const LEASE_MS = 15_000;
const RENEW_MS = 5_000;

/** Runs every controller under one lease until the signal aborts, or until the lease turns out to be lost. */
export async function runEngine(needs: EngineOptions, signal: AbortSignal): Promise<void> {
  const news = new CommitFeed();
  const lease = await takeLease({ ...needs, forMs: LEASE_MS, by: news });
  const { stopping, stop } = stoppedWith(signal);
  const lost = () => {
    if (!stopping.signal.aborted) needs.log('lease.lost', {});
    stop();
  };
  const store = withdrawing(engineStore(needs.store, lease.fence, news), needs.now);
  const known = new KnownRows(store, news, needs.elapsed);
  const fenced: EngineOptions = { ...needs, commitFeed: news, store, known, serialized: new Mutex().run };
  const everybody = new Set<Waker>();
  const stirAll = () => {
    for (const stirs of everybody) stirs.wake();
  };
  const stirSoon = paced(stirAll, stopping.signal);
  void watchStore(fenced.store, stopping.signal, () => {
    news.other();
    stirSoon();
  });
  const held = withLease(lease, lost);
  const supervision = needs.supervision && { ...needs.supervision, runner: fencedRunner(needs.supervision.runner, held) };
  const work = needs.work && { ...fenced, ...needs.work, gitWork: fencedGitWork(needs.work.gitWork, held) };
  const asking = needs.questions && { ...fenced, ...needs.questions };
  const keep = <Seen, Action>(controller: Controller<Seen, Action>) => {
    const stirs = new Waker();
    everybody.add(stirs);
    const { wakesOn } = controller;
    // A commit that failed stirs nobody: whatever cannot be written now must not be tried without a rest.
    if (wakesOn) news.subscribe({ own: (writes) => (writes.some(wakesOn) ? stirs.wake() : undefined), other: () => undefined });
    controller.onWake?.(stirs.wake);
    needs.onSettings?.(stirs.wake);
    return keepRunning(controller, { log: needs.log, begin: stirs.begin, rest: stirs.rest }, stopping.signal);
  };
  await adoptFormer(fenced);
  needs.log('engine.started', { host: needs.host });
  needs.onHeld?.();
  await Promise.all([
    keep(release(fenced)),
    keep(dispatch(fenced)),
    keep(failover(fenced)),
    ...(supervision
      ? [keep(supervise({ ...fenced, ...supervision, ...placesOf(work), collectFinalQuestions: collectFinalQuestions(asking) }))]
      : []),
    ...(asking ? [keep(questionPages(asking))] : []),
    ...(work
      ? [keep(provision(work)), keep(prove(work)), keep(land(work)), keep(removeSpareWorkspaces(work)), keep(cleanUp(work))]
      : []),
    keep(gauge(fenced)),
    keep(pruneDeleted(fenced)),
    ...(needs.retention ? [keep(pruneOutput({ ...fenced, ...needs.retention }))] : []),
    keep(renewal(lease, lost, needs)),
  ]);
  signal.removeEventListener('abort', stop);
  await lease.giveUp().catch((error) => needs.log('lease.kept', { error: String(error) }));
  needs.log('engine.stopped', { host: needs.host });
  if (!signal.aborted) throw new Fault('conflict', 'another engine has taken over this home');
}

/** Aborts with the signal, or when the engine itself has to stop. */
function stoppedWith(signal: AbortSignal): { readonly stopping: AbortController; readonly stop: () => void } {
  const stopping = new AbortController();
  // Every controller listens for its end, so many listeners are no leak.
  setMaxListeners(0, stopping.signal);
  const stop = () => stopping.abort();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  return { stopping, stop };
}

/** What an agent has written onto its page and left, before anybody says that its run is over. */
const collectFinalQuestions =
  (needs: QuestionDeps | undefined): SuperviseDeps['collectFinalQuestions'] =>
  async ({ id, taskId }) =>
    void (needs && (await takePage({ taskId, runId: id, isFinal: true, hasOpen: false }, needs)));

/** Without a gitWork, work is done in place and nothing needs to be kept. */
function placesOf(
  work: (WorkDeps & Pick<ReportDeps, 'resultFile'>) | undefined,
): Pick<SuperviseDeps, 'place' | 'preserveWork' | 'saveTurn' | 'onPreserved'> {
  const nothing = () => undefined;
  if (!work)
    return { place: async () => ({ state: 'here' }), preserveWork: async () => ({}), saveTurn: nothing, onPreserved: nothing };
  const beside = new BackgroundWork();
  const turns = new TurnSaver(work);
  const keeper = new WorkSaver(work, turns);
  return {
    place: (run, task) => placeFor(run, task, { ...work, beside }),
    preserveWork: (run, task, ran) => (ran ? preserveWork(run, task, { ...work, keeper }) : preserveUnstarted(run, task, work)),
    saveTurn: (run, task) => turns.turnOver(run, task),
    onPreserved: (listener) => {
      beside.onDone(listener);
      keeper.onDone(listener);
    },
  };
}

/** The lease is renewed by the same loop as everything else; a lost one stops the engine. */
function renewal(lease: HeldLease, lost: () => void, needs: EngineOptions): Controller<boolean, 'renew'> {
  let renewedAt = needs.elapsed();
  return {
    name: 'lease',
    everyMs: RENEW_MS,
    observe: async () => needs.elapsed() - renewedAt >= RENEW_MS,
    decide: (due) => (due ? ['renew'] : []),
    act: async () => {
      try {
        await lease.renew();
        renewedAt = needs.elapsed();
      } catch (error) {
        if (!isFault(error, 'conflict')) throw error;
        lost();
      }
      return false;
    },
  };
}

const watchStore = async (store: Store, signal: AbortSignal, stir: () => void): Promise<void> => {
  try {
    for await (const _ of store.watch(signal)) stir();
  } catch {
    // Hints have stopped; controllers still look by themselves.
  }
};
