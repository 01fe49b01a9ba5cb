import { setMaxListeners } from 'node:events';
import { Fault, isFault } from '../domain/fault.ts';
import type { Store } from '../store/port.ts';
import { adoptFormer } from './adopt-former.ts';
import { type Controller, keepRunning, type Surroundings } from './controller.ts';
import { dispatch } from './dispatch.ts';
import { failover } from './failover.ts';
import { fencedRunner, fencedWorkshop, holding } from './fence.ts';
import { gauge } from './gauge.ts';
import { InTurn } from './in-turn.ts';
import { KnownRows } from './known-rows.ts';
import { type Held, type Identity, takeLease } from './lease.ts';
import type { Needs } from './needs.ts';
import { engineStore, News } from './news.ts';
import { withdrawing } from './questions/moot.ts';
import type { QuestionNeeds } from './questions/needs.ts';
import { questionPages } from './questions/questions.ts';
import { takePage } from './questions/take-page.ts';
import { release } from './release.ts';
import { type Retention, retain } from './retain.ts';
import { paced, Stirs } from './stirs.ts';
import type { SuperviseNeeds } from './supervise/needs.ts';
import { supervise } from './supervise/supervise.ts';
import { sweep } from './sweep.ts';
import { Beside } from './work/beside.ts';
import { cleanUp } from './work/clean-up.ts';
import { furnish } from './work/furnish.ts';
import { TurnKeeper } from './work/keep-turns.ts';
import { WorkKeeper } from './work/keep-work.ts';
import { land } from './work/land.ts';
import { leaveBehind, leaveUnbegun, type ReportNeeds } from './work/leave-behind.ts';
import type { WorkNeeds } from './work/needs.ts';
import { placeFor } from './work/place.ts';
import { prove } from './work/prove.ts';
import { tidy } from './work/tidy.ts';

export interface EngineNeeds extends Needs, Pick<Surroundings, 'log'> {
  /** With it, what is claimed is also started and watched over. */
  readonly supervision?: Omit<SuperviseNeeds, keyof Needs | 'log' | 'place' | 'leaveBehind' | 'turnOver' | 'onLeft' | 'lastAsks'>;
  /** With it, work in repositories is kept apart, proved and landed. */
  readonly work?: Omit<WorkNeeds, keyof Needs | 'log'> & Pick<ReportNeeds, 'resultFile'>;
  /** With it, questions are asked and answered on pages too. */
  readonly questions?: Pick<QuestionNeeds, 'pages' | 'ask' | 'answer'>;
  /** With it, old output is removed. */
  readonly retention?: Retention;
  readonly self: Identity;
  alive(identity: Identity): Promise<boolean>;
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
export async function runEngine(needs: EngineNeeds, signal: AbortSignal): Promise<void> {
  const news = new News();
  const lease = await takeLease({ ...needs, forMs: LEASE_MS, by: news });
  const stopping = new AbortController();
  // Every controller rests on it: that is no leak.
  setMaxListeners(0, stopping.signal);
  const stop = () => stopping.abort();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const lost = () => {
    if (!stopping.signal.aborted) needs.log('lease.lost', {});
    stop();
  };
  const store = withdrawing(engineStore(needs.store, lease.fence, news), needs.now);
  const known = new KnownRows(store, news, needs.elapsed);
  const fenced: EngineNeeds = { ...needs, news, store, known, inTurn: new InTurn().take };
  const everybody = new Set<Stirs>();
  const stirAll = () => {
    for (const stirs of everybody) stirs.stir();
  };
  const stirSoon = paced(stirAll, stopping.signal);
  void watchStore(fenced.store, stopping.signal, () => {
    news.other();
    stirSoon();
  });
  const held = holding(lease, lost);
  const supervision = needs.supervision && { ...needs.supervision, runner: fencedRunner(needs.supervision.runner, held) };
  const work = needs.work && { ...fenced, ...needs.work, workshop: fencedWorkshop(needs.work.workshop, held) };
  const asking = needs.questions && { ...fenced, ...needs.questions };
  const keep = <Seen, Action>(controller: Controller<Seen, Action>) => {
    const stirs = new Stirs();
    everybody.add(stirs);
    const { concerns } = controller;
    // A commit that failed stirs nobody: whatever cannot be written now must not be tried without a rest.
    if (concerns) news.tell({ own: (writes) => (writes.some(concerns) ? stirs.stir() : undefined), other: () => undefined });
    controller.onStir?.(stirs.stir);
    needs.onSettings?.(stirs.stir);
    return keepRunning(controller, { log: needs.log, begin: stirs.begin, rest: stirs.rest }, stopping.signal);
  };
  await adoptFormer(fenced);
  needs.log('engine.started', { host: needs.host });
  needs.onHeld?.();
  await Promise.all([
    keep(release(fenced)),
    keep(dispatch(fenced)),
    keep(failover(fenced)),
    ...(supervision ? [keep(supervise({ ...fenced, ...supervision, ...placesOf(work), lastAsks: lastAsks(asking) }))] : []),
    ...(asking ? [keep(questionPages(asking))] : []),
    ...(work ? [keep(furnish(work)), keep(prove(work)), keep(land(work)), keep(tidy(work)), keep(cleanUp(work))] : []),
    keep(gauge(fenced)),
    keep(sweep(fenced)),
    ...(needs.retention ? [keep(retain({ ...fenced, ...needs.retention }))] : []),
    keep(renewal(lease, lost, needs)),
  ]);
  signal.removeEventListener('abort', stop);
  await lease.giveUp().catch((error) => needs.log('lease.kept', { error: String(error) }));
  needs.log('engine.stopped', { host: needs.host });
  if (!signal.aborted) throw new Fault('conflict', 'another engine has taken over this home');
}

/** What an agent has written onto its page and left, before anybody says that its run is over. */
const lastAsks =
  (needs: QuestionNeeds | undefined): SuperviseNeeds['lastAsks'] =>
  async ({ id, taskId }) =>
    void (needs && (await takePage({ taskId, runId: id, isFinal: true, hasOpen: false }, needs)));

/** Without a workshop, work is done in place and nothing needs to be kept. */
function placesOf(
  work: (WorkNeeds & Pick<ReportNeeds, 'resultFile'>) | undefined,
): Pick<SuperviseNeeds, 'place' | 'leaveBehind' | 'turnOver' | 'onLeft'> {
  const nothing = () => undefined;
  if (!work) return { place: async () => ({ state: 'here' }), leaveBehind: async () => ({}), turnOver: nothing, onLeft: nothing };
  const beside = new Beside();
  const turns = new TurnKeeper(work);
  const keeper = new WorkKeeper(work, turns);
  return {
    place: (run, task) => placeFor(run, task, { ...work, beside }),
    leaveBehind: (run, task, ran) => (ran ? leaveBehind(run, task, { ...work, keeper }) : leaveUnbegun(run, task, work)),
    turnOver: (run, task) => turns.turnOver(run, task),
    onLeft: (listener) => {
      beside.onDone(listener);
      keeper.onDone(listener);
    },
  };
}

/** The lease is renewed by the same loop as everything else; a lost one stops the engine. */
function renewal(lease: Held, lost: () => void, needs: EngineNeeds): Controller<boolean, 'renew'> {
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
