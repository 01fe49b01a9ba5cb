import { replyTo } from '../../domain/question/question.ts';
import { overSharedBudget } from '../../domain/run/budget.ts';
import { patienceMs, spinPatienceMs, unwatchedMs } from '../../domain/run/health.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Usage } from '../../domain/run/usage.ts';
import type { Task } from '../../domain/task/task.ts';
import { msOf } from '../../domain/values.ts';
import { sharedBudgets } from '../../store/queries/shared-budgets.ts';
import { questions } from '../../store/records/questions.ts';
import type { ObservedRun, SuperviseView } from './decide.ts';
import type { Runner, RunState, SuperviseDeps } from './deps.ts';
import { lookAtFiles } from './files.ts';
import type { KnownRun } from './live-runs.ts';
import type { Looked, RunPulse, SuperviseMemory } from './memory.ts';

/** Processor time is asked for only of runs that have been silent this long. */
const QUIET_MS = 5_000;

export async function observe(needs: SuperviseDeps, memory: SuperviseMemory): Promise<SuperviseView> {
  const { runner } = needs;
  const { picture, pulses, seenAt } = memory;
  const live = await picture.look();
  // Followed before they are looked at: what happens in between is a hint, not a loss.
  for (const unheard of runner.follow(live.map(({ run }) => run.body.id))) memory.hinted.add(unheard);
  const now = needs.elapsed();
  forgive(memory, now, needs.rules().stallMs);
  const looking = { runner, memory, now, wholeLooks: Math.ceil(live.length / PARTS) };
  const looks = await Promise.all(live.map((known) => lookAt(known, looking)));
  await feelPulses(live, looks, { needs, memory, now });
  const crowds = await runner.crowded(
    live.map(({ run }) => run.body.id),
    needs.rules().processes,
  );
  const found = new Map<string, Promise<Usage | undefined>>();
  const sights = live.map(async ({ run, task }, at): Promise<ObservedRun> => {
    const look = looks[at] as RunState;
    const silentMs = now - (pulses.get(run.body.id)?.at ?? now);
    const patience = patienceMs(run.body.watch, needs.rules().stallMs);
    lookAtFiles({ run: run.body, task: task?.body, silentMs, patienceMs: patience }, needs, memory);
    if (!seenAt.has(run.body.id)) seenAt.set(run.body.id, now - unwritten(run.body, look, needs));
    return {
      run,
      task: task?.body,
      look,
      silentMs,
      speechlessMs: now - (pulses.get(run.body.id)?.spokeAt ?? now),
      sinceMs: now - (seenAt.get(run.body.id) ?? now),
      processes: crowds.get(run.body.id),
      toSend: await hasMail(run.body, task?.body, needs),
      overShared:
        task && !run.body.chore ? overSharedBudget(await sharedBudgets(task.body, { store: needs.store, found })) : undefined,
      hungUp: memory.hungUp.has(run.body.id),
    };
  });
  forget(new Set(live.map(({ run }) => run.body.id)), memory);
  return { sights: await Promise.all(sights), now: needs.now(), rules: needs.rules() };
}

/** Time in which nobody looked is taken off the silence of all of them, and each is looked at anew. */
function forgive(memory: SuperviseMemory, now: number, stallMs: number): void {
  const ms = unwatchedMs(now - (memory.lookedAt ?? now), stallMs);
  memory.lookedAt = now;
  if (ms === 0) return;
  for (const [id, pulse] of memory.pulses) {
    memory.hinted.add(id);
    memory.pulses.set(id, { ...pulse, at: pulse.at + ms, spokeAt: pulse.spokeAt + ms });
  }
}

/** A run that lives and gave no hint is looked at this often, some of them in each turn; that its process is there, in each. */
const WHOLE_LOOK_MS = 10_000;
const PARTS = 8;
const GLANCE_MS = 1_000;

interface Looking {
  readonly runner: Runner;
  readonly memory: SuperviseMemory;
  readonly now: number;
  /** How many of those that gave no hint may still be looked at in this turn. */
  wholeLooks: number;
}

async function lookAt({ run, isNew }: KnownRun, looking: Looking): Promise<RunState> {
  const { runner, now } = looking;
  const { looks, hinted } = looking.memory;
  const { id } = run.body;
  if (isNew) return { state: 'unclaimed' };
  const before = looks.get(id);
  if (before?.look.state === 'alive' && !hinted.has(id) && !isDue(before, looking)) {
    if (now - before.thereAt < GLANCE_MS) return before.look;
    looks.set(id, { ...before, thereAt: now });
    if (runner.isThere(before.look.identity)) return before.look;
  }
  // Before the look: a hint that comes while it is under way counts for the next.
  hinted.delete(id);
  const look = await runner.look(id);
  looks.set(id, { look, at: now, thereAt: now });
  return look;
}

function isDue({ at }: Looked, looking: Looking): boolean {
  if (looking.now - at < WHOLE_LOOK_MS || looking.wholeLooks === 0) return false;
  looking.wholeLooks -= 1;
  return true;
}

interface Feeling {
  readonly needs: SuperviseDeps;
  readonly memory: SuperviseMemory;
  readonly now: number;
}

/** Asking for processor time is a look at every process of the machine: a few times before a run is called stalled. */
const MOST_TICKS_MS = 60_000;

async function feelPulses(live: readonly KnownRun[], looks: readonly RunState[], { needs, memory, now }: Feeling): Promise<void> {
  const { pulses } = memory;
  const { stallMs } = needs.rules();
  const quietMs = Math.min(QUIET_MS, stallMs / 4);
  const silent = live.filter(({ run }, at) => silence(run.body, looks[at], pulses, now) > quietMs);
  const isDue = silent.length > 0 && now - memory.ticksAt >= Math.min(MOST_TICKS_MS, stallMs / 8);
  if (isDue) memory.ticksAt = now;
  const ticks = isDue ? await needs.runner.ticks(silent.map(({ run }) => run.body.id)) : new Map<string, number>();
  for (const [at, { run }] of live.entries()) {
    const look = looks[at];
    // Of who is only listened to nobody knows whether a tool of its works.
    const mostMs = look?.state === 'alive' && look.listens ? spinPatienceMs(run.body.watch, stallMs) : Number.POSITIVE_INFINITY;
    beat(run.body, { ticks: ticks.get(run.body.id), now, mostMs }, pulses);
  }
}

function forget(live: ReadonlySet<string>, { pulses, looks, hinted, files, ahead, hungUp }: SuperviseMemory): void {
  for (const known of [pulses, looks, hinted, files, ahead, hungUp])
    for (const id of known.keys()) if (!live.has(id)) known.delete(id);
}

/** How long ago the run showed a sign of life; new output is one. */
function silence(run: Run, look: RunState | undefined, pulses: Map<string, RunPulse>, now: number): number {
  const bytes = look?.state === 'alive' ? look.outBytes + look.errBytes : 0;
  const pulse = pulses.get(run.id);
  if (!pulse || pulse.bytes !== bytes)
    pulses.set(run.id, { bytes, ticks: pulse?.ticks ?? -1, ticksAt: pulse?.ticksAt ?? now, at: now, spokeAt: now });
  return now - (pulses.get(run.id)?.at ?? now);
}

/** Ticks in a second: a program that waits for nothing in particular uses one or two. */
const BUSY_TICKS = 5;

interface Beat {
  readonly ticks: number | undefined;
  readonly now: number;
  /** How long use of the processor alone is believed. */
  readonly mostMs: number;
}

/** Used processor time is a sign of life too, if it is more than idling takes: an agent that thinks prints nothing. */
function beat(run: Run, { ticks, now, mostMs }: Beat, pulses: Map<string, RunPulse>): void {
  const waits = (run.watch?.asks.length ?? 0) > 0;
  const before = pulses.get(run.id);
  // Who waits for a person is alive, and has all its time again once it is answered.
  if (waits && before) return void pulses.set(run.id, { ...before, at: now, spokeAt: now });
  const pulse = pulses.get(run.id);
  if (!pulse || ticks === undefined) return;
  const isBusy = pulse.ticks !== -1 && ticks - pulse.ticks >= (BUSY_TICKS * (now - pulse.ticksAt)) / 1_000;
  pulses.set(run.id, { ...pulse, ticks, ticksAt: now, at: isBusy && now - pulse.spokeAt < mostMs ? now : pulse.at });
}

/** A run that went on while nobody watched has run for as long as its process is old; the wall clock may have jumped. */
function unwritten({ phase, updatedAt, watch }: Run, look: RunState, needs: SuperviseDeps): number {
  if (phase.state !== 'running') return 0;
  const ageMs = look.state === 'alive' ? look.ageMs : undefined;
  return Math.max(0, ageMs === undefined ? msOf(needs.now()) - msOf(updatedAt) : ageMs - (watch?.activeMs ?? 0));
}

async function hasMail({ watch }: Run, task: Task | undefined, { store }: SuperviseDeps): Promise<boolean> {
  if (!watch) return false;
  if (watch.outbox.tail !== '' || task?.messages.some(({ state }) => state === 'waiting')) return true;
  const asked = await Promise.all(watch.asks.map(({ questionId }) => questions.get(store, questionId)));
  return asked.some((question) => question && replyTo(question.body) !== undefined);
}
