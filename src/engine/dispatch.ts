import { isFault } from '../domain/fault.ts';
import { accountRefOf, executorRefOf } from '../domain/hold/account.ts';
import { type Capacity, type HoldScope, scopesOf } from '../domain/hold/hold.ts';
import { isInForce, pauseId } from '../domain/hold/pause.ts';
import { isFirstExecutor } from '../domain/task/failover.ts';
import { type Lane, laneFromKey } from '../domain/task/lane.ts';
import type { Task } from '../domain/task/task.ts';
import { type Instant, msOf } from '../domain/values.ts';
import type { Hit } from '../store/port.ts';
import { holds } from '../store/records/holds.ts';
import { pauses } from '../store/records/pauses.ts';
import type { Versioned as Read } from '../store/records/record.ts';
import { taskIndex, tasks } from '../store/records/tasks.ts';
import { claimWrites, type Occupied, occupied, type TaskClaim } from './claim.ts';
import type { Controller } from './controller.ts';
import type { EngineDeps, ExecutorDefaults } from './deps.ts';
import { type Paused, pausesOf, unpaused } from './pausing.ts';
import { QueueHeads } from './queue-heads.ts';
import { LOOK_FOR_ROOM_MS } from './room-on-disk.ts';

/** The tasks at the front of one lane, and what each of them needs room in. */
export interface Front {
  readonly executor: string;
  readonly account: string;
  readonly model?: string | undefined;
  readonly effort?: Task['effort'];
  readonly scopes: readonly HoldScope[];
  readonly waiting: readonly { readonly due: string; readonly task: Read<Task> }[];
}

export interface DispatchView {
  readonly fronts: readonly Front[];
  readonly taken: ReadonlyMap<string, number>;
  readonly roomHere: number;
  /** When the first of the pauses that were met with is over. */
  readonly pausedUntil?: Instant | undefined;
  /** Something waits for an executor that is not here: it may be installed at any moment. */
  readonly lacksExecutor?: boolean;
  /** A disk has too little room: it may have more at any moment. */
  readonly lacksDisk?: boolean;
  readonly now: Instant;
}

export type Choice = Omit<TaskClaim, 'runId'> & { readonly due: string };

/** Claims that fit into one commit. */
const CLAIMS_PER_COMMIT = 12;

export const dispatch = (needs: EngineDeps): Controller<DispatchView, readonly Choice[]> => {
  const heads = new QueueHeads(needs);
  return {
    name: 'dispatch',
    everyMs: 15_000,
    observe: () => observe(needs, heads),
    decide: (seen) => {
      const choices = choose(seen);
      return choices.length === 0 ? [] : [choices];
    },
    act: (choices) => claimAll(choices, needs),
    wakesOn: (write) =>
      write.key.kind === holds.kind ||
      write.key.kind === pauses.kind ||
      (write.key.kind === tasks.kind && write.op === 'put' && (write.body as Task).phase.state === 'queued'),
    dueInMs: ({ pausedUntil, lacksExecutor, lacksDisk, now }) => {
      const due = [
        ...(pausedUntil === undefined ? [] : [Math.max(1, msOf(pausedUntil) - msOf(now))]),
        ...(lacksExecutor ? [LOOK_FOR_EXECUTORS_MS] : []),
        ...(lacksDisk ? [LOOK_FOR_ROOM_MS] : []),
      ];
      return due.length === 0 ? undefined : Math.min(...due);
    },
  };
};

/** Nobody tells when a program is installed. */
const LOOK_FOR_EXECUTORS_MS = 2_000;

/** The earliest due tasks for which every scope, and this host, has room. */
export function choose({ fronts, taken, roomHere }: Pick<DispatchView, 'fronts' | 'taken' | 'roomHere'>): readonly Choice[] {
  const counts = new Map(taken);
  const inOrder = fronts
    .flatMap((front) => front.waiting.map((place) => ({ ...place, front })))
    .sort((a, b) => (a.due < b.due ? -1 : 1));
  const choices: Choice[] = [];
  for (const { task, due, front } of inOrder) {
    if (choices.length >= Math.min(roomHere, CLAIMS_PER_COMMIT)) break;
    if (!front.scopes.every(({ scope, max }) => (counts.get(scope) ?? 0) < max)) continue;
    for (const { scope } of front.scopes) counts.set(scope, (counts.get(scope) ?? 0) + 1);
    const { waiting: _, ...needed } = front;
    choices.push({ task, due, ...needed });
  }
  return choices;
}

/** Mostly the first few lanes have all that can be claimed; where they are full, more and more are looked into at once. */
const FEWEST_LANES = 4;

async function observe(needs: EngineDeps, queue: QueueHeads): Promise<DispatchView> {
  const [roomHere, capacity] = await Promise.all([needs.roomHere(), needs.capacity()]);
  const room = Math.min(roomHere, CLAIMS_PER_COMMIT, await fleetRoom(capacity, needs));
  const fronts: Front[] = [];
  const taken = new Map<string, number>();
  const seen: Writable = { fronts, taken, roomHere, now: needs.now() };
  // A full fleet is the usual case while agents run: it costs one read, however many lanes wait.
  if (room <= 0) return seen;
  if (await needs.diskShort()) return { ...seen, lacksDisk: true };
  const [heads, startable] = await Promise.all([queue.look(), needs.startable()]);
  for (let [from, to] = [0, Math.max(FEWEST_LANES, room)]; from < heads.length; [from, to] = [to, to * 2]) {
    const lanes = await Promise.all(
      heads
        .slice(from, to)
        .map(async ({ lane, hit }) => ({ key: lane, head: hit, ...(await needed(laneFromKey(lane), capacity, needs)) })),
    );
    const started = lanes.filter(startable);
    if (started.length < lanes.length) seen.lacksExecutor = true;
    const usable = await unpausedOf(started, seen, needs);
    const before = await occupied(
      needs.known ?? needs.store,
      usable.flatMap(({ scopes }) => scopes.map(({ scope }) => scope)),
    );
    for (const [scope, hold] of before) taken.set(scope, hold?.body.holders.length ?? 0);
    fronts.push(...(await Promise.all(usable.map((lane) => frontOf(lane, before, needs)))));
    const next = heads[to];
    const chosen = choose(seen);
    // Whoever comes later in the queue is due later than all of these.
    if (next === undefined || (chosen.length >= room && chosen.every(({ due }) => due < next.due))) break;
  }
  return seen;
}

type Writable = DispatchView & { pausedUntil?: Instant | undefined; lacksExecutor?: boolean };

/** A paused account costs one read, however many lanes wait for it. */
async function unpausedOf(
  lanes: readonly Needed[],
  seen: Writable,
  { store, known = store }: EngineDeps,
): Promise<readonly Needed[]> {
  const paused = await pausesOf(known, lanes);
  for (const pause of paused.values())
    if (isInForce(pause?.body, seen.now) && (seen.pausedUntil === undefined || pause.body.until < seen.pausedUntil))
      seen.pausedUntil = pause.body.until;
  return lanes.filter((lane) => !isInForce(paused.get(pauseId(lane))?.body, seen.now));
}

async function fleetRoom({ fleet }: Capacity, { store, known = store }: EngineDeps): Promise<number> {
  if (fleet === undefined) return Number.POSITIVE_INFINITY;
  return fleet - ((await holds.get(known, 'fleet'))?.body.holders.length ?? 0);
}

interface Needed {
  readonly key: string;
  readonly head: Hit;
  readonly executor: string;
  readonly account: string;
  readonly placement: Lane['placement'];
  readonly model?: string | undefined;
  readonly effort?: Task['effort'];
  readonly scopes: readonly HoldScope[];
}

/** A task that names no executor takes the default one of its project, and that executor's limits. */
async function needed(lane: Lane, capacity: Capacity, needs: EngineDeps): Promise<Omit<Needed, 'key' | 'head'>> {
  const named = lane.executor !== 'default';
  const chosen: ExecutorDefaults = named
    ? { executor: executorRefOf(lane) }
    : await needs.defaults(lane.place.kind === 'project' ? lane.place.id : undefined);
  const { executor: ref, model, effort } = chosen;
  const lender = accountRefOf(ref);
  return { ...lender, model, effort, placement: lane.placement, scopes: scopesOf({ ...lane, ...lender }, capacity) };
}

/** As many tasks of the lane as could be started now; a full lane costs nothing more, nor does one with room for its head. */
async function frontOf(lane: Needed, before: Occupied, needs: EngineDeps): Promise<Front> {
  const { key, head, placement: _placement, ...needed } = lane;
  const room = Math.min(
    CLAIMS_PER_COMMIT,
    ...needed.scopes.map(({ scope, max }) => max - (before.get(scope)?.body.holders.length ?? 0)),
  );
  const first = async () => needs.store.scan({ index: taskIndex.ready, from: `${key}/`, to: `${key}0`, limit: room });
  const hits = room <= 0 ? [] : room === 1 ? [head] : await first();
  const waiting = hits.map((hit) => ({
    due: hit.sort.slice(key.length + 1),
    task: { body: tasks.read(hit), version: hit.version },
  }));
  return { ...needed, waiting };
}

/** All in one commit; if one of them has moved meanwhile, each for itself. */
async function claimAll(choices: readonly Choice[], needs: EngineDeps): Promise<boolean> {
  try {
    return await claimTogether(choices, needs);
  } catch (error) {
    if (!isFault(error, 'conflict') || choices.length === 1) throw error;
    const each: boolean[] = [];
    for (const choice of choices) each.push(await claimTogether([choice], needs).catch(unlessRaceLost));
    return each.includes(true);
  }
}

async function claimTogether(choices: readonly Choice[], needs: EngineDeps): Promise<boolean> {
  // What a person has changed is looked up before it is one's turn: that may take a while.
  const claims = await Promise.all(choices.map((choice) => claimFor(choice, needs)));
  return needs.serialized ? needs.serialized(() => claimNow(claims, needs)) : claimNow(claims, needs);
}

async function claimNow(claims: readonly TaskClaim[], needs: EngineDeps): Promise<boolean> {
  const { store, known = store, host, hostName, now } = needs;
  const before = await occupied(
    known,
    claims.flatMap(({ scopes }) => scopes.map(({ scope }) => scope)),
  );
  const paused = await pausesOf(known, claims);
  const at = now();
  const writes = claimWrites(claims.filter(mayBegin(paused, at)), before, { host, hostName, at });
  if (writes.length === 0) return false;
  await store.commit([...writes, ...unpaused(paused)]);
  return true;
}

/** What was paused after the look is left where it is; what is paused after this, the commit finds out. */
const mayBegin =
  (paused: Paused, at: Instant) =>
  (claim: TaskClaim): boolean =>
    !isInForce(paused.get(pauseId(claim))?.body, at);

/** A task with a history may have notes, and they may have been changed: that holds from this claim on. */
async function claimFor(choice: Choice, { ids, edits }: EngineDeps): Promise<TaskClaim> {
  const { body, version } = choice.task;
  const changes = body.seq === 1 ? {} : await edits(body);
  const { executor, account } = changes.executors?.[0] === undefined ? choice : accountRefOf(changes.executors[0]);
  const task = { body: changes.executors ? handedOver(body, changes) : { ...body, ...changes }, version };
  // A name of a model belongs to the first executor of the task: one that took over uses its own.
  const isOwn = isFirstExecutor(task.body, executor);
  // What comes with a default comes with the executor of that default.
  const usual: Pick<Choice, 'model' | 'effort'> = isOwn && executor === choice.executor ? choice : {};
  const model = isOwn ? (task.body.model ?? usual.model) : undefined;
  const effort = task.body.effort ?? usual.effort;
  return { ...choice, task, executor, account, model, effort, runId: ids.run() };
}

/** What was said for one executor is not for another. */
function handedOver(body: Task, changes: Awaited<ReturnType<EngineDeps['edits']>>): Task {
  const { model: _model, executorAt: _at, ...rest } = body;
  return { ...rest, ...changes };
}

const unlessRaceLost = (error: unknown): boolean => {
  if (!isFault(error, 'conflict')) throw error;
  return false;
};
