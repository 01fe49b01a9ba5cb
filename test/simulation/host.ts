import type { Capacity } from '../../src/domain/hold/hold.ts';
import type { Outcome } from '../../src/domain/run/run.ts';
import { fenceOf } from '../../src/domain/task/task.ts';
import { transition } from '../../src/domain/task/transition.ts';
import { instantOf, type RunId } from '../../src/domain/values.ts';
import { CommitFeed, engineStore } from '../../src/engine/commit-feed.ts';
import { takeTurn } from '../../src/engine/controller.ts';
import type { EngineDeps } from '../../src/engine/deps.ts';
import { dispatch } from '../../src/engine/dispatch.ts';
import { KnownRows } from '../../src/engine/known-rows.ts';
import { Mutex } from '../../src/engine/mutex.ts';
import { withdrawing } from '../../src/engine/questions/moot.ts';
import { release } from '../../src/engine/release.ts';
import { type SettledEnding, settle } from '../../src/engine/settle.ts';
import type { Write } from '../../src/store/port.ts';
import { changeWrites } from '../../src/store/records/journal.ts';
import { runIndex, runs } from '../../src/store/records/runs.ts';
import { taskIndex, tasks } from '../../src/store/records/tasks.ts';
import { must } from './invariants.ts';
import type { Actor, Network } from './network.ts';
import type { Random } from './random.ts';

/** An agent process of the simulation: it outlives the engine that started it, but not its machine. */
export interface Agent {
  readonly taskId: string;
  outcome?: Outcome;
}

export interface World {
  readonly network: Network;
  readonly random: Random;
  readonly clock: { ms: number };
  readonly capacity: Capacity;
  readonly agents: Map<RunId, Agent>;
  runId(): RunId;
}

/** There are no leases in a simulation: hosts are told apart by what they claim. */
const NO_LEASE: Write = { op: 'check', key: { kind: 'lease', id: 'none' }, expect: 'absent' };
/** How many hints come through. */
const HINTED = 0.2;

/** One machine with an engine that may die and come back. It runs the product's own controllers. */
export class Host {
  readonly #world: World;
  readonly #name: string;
  readonly #agents = new Map<RunId, Agent>();
  #actor: Actor = { alive: false };
  #needs!: EngineDeps;
  #news = new CommitFeed();
  #working = new Set<string>();
  /** How wrong its clock is. */
  skewMs = 0;

  constructor(world: World, name: string) {
    this.#world = world;
    this.#name = name;
    this.restart();
  }

  /** kill -9 of the engine, and a new one in its place. Agents go on. */
  restart(): void {
    this.#actor.alive = false;
    this.#actor = { alive: true };
    this.#working = new Set();
    const { network, clock, capacity } = this.#world;
    this.#news = new CommitFeed();
    const store = withdrawing(
      engineStore(network.handle(this.#actor), () => NO_LEASE, this.#news),
      () => this.#needs.now(),
    );
    this.#needs = {
      store,
      // What it knows of rows is as old as the last hint that reached it.
      known: new KnownRows(store, this.#news, () => clock.ms),
      serialized: new Mutex().run,
      now: () => instantOf(clock.ms + this.skewMs),
      elapsed: () => clock.ms,
      ids: { run: () => this.#world.runId() },
      host: this.#name,
      hostName: this.#name,
      capacity: async () => capacity,
      defaults: async () => ({ executor: 'claude' }),
      startable: async () => () => true,
      edits: async () => ({}),
      failover: () => 'off',
      diskShort: async () => undefined,
      diskFull: async () => undefined,
      roomHere: async () => 4,
    };
  }

  /** The machine goes down with everything on it. */
  reboot(): void {
    for (const runId of this.#agents.keys()) this.#world.agents.delete(runId);
    this.#agents.clear();
    this.restart();
  }

  /** Begins one piece of the engine's work, if it is not under way already. */
  work(): void {
    const { random } = this.#world;
    if (random.chance(HINTED)) this.#news.other();
    this.#begin(random.pick(['release', 'dispatch', 'supervise', 'prove']));
  }

  workAll(): void {
    for (const name of ['release', 'dispatch', 'supervise', 'prove']) this.#begin(name);
  }

  get idle(): boolean {
    return this.#working.size === 0;
  }

  endAgents(outcomes: readonly Outcome[], chance: number): void {
    for (const agent of this.#agents.values())
      if (!agent.outcome && this.#world.random.chance(chance)) agent.outcome = this.#world.random.pick(outcomes);
  }

  #begin(name: string): void {
    if (this.#working.has(name)) return;
    const working = this.#working;
    working.add(name);
    const done = () => working.delete(name);
    this.#turn(name).then(done, (error) => {
      done();
      // Faults are the weather here; anything else is a bug.
      if (!(error instanceof Error && error.name === 'Fault')) throw error;
    });
  }

  async #turn(name: string): Promise<void> {
    if (name === 'release') await takeTurn(release(this.#needs));
    if (name === 'dispatch') await takeTurn(dispatch(this.#needs));
    if (name === 'supervise') await this.#supervise();
    if (name === 'prove') await this.#prove();
  }

  /** Starts what was claimed, settles what has ended: runs in the store against agents on this machine. */
  async #supervise(): Promise<void> {
    const hits = await this.#needs.store.scan({ index: runIndex.live(this.#name), limit: 50 });
    for (const hit of hits) {
      const run = runs.read(hit);
      const agent = this.#agents.get(run.id);
      if (!agent) await this.#startOrLose(run.id, run.taskId);
      else if (agent.outcome) await this.#settle(run.id, agent.outcome);
    }
  }

  async #startOrLose(runId: RunId, taskId: string): Promise<void> {
    const { agents, random } = this.#world;
    const seen = await runs.get(this.#needs.store, runId);
    if (seen?.body.phase.state !== 'claimed') return;
    if (this.#agents.has(runId)) return;
    if (random.chance(0.1)) return this.#settle(runId, 'lost');
    must(![...agents.values()].some((agent) => agent.taskId === taskId), `nothing runs twice: ${taskId}`);
    const agent: Agent = { taskId };
    agents.set(runId, agent);
    this.#agents.set(runId, agent);
  }

  async #settle(runId: RunId, outcome: Outcome): Promise<void> {
    // The process tree is gone before anybody is told that the run has ended.
    this.#world.agents.delete(runId);
    this.#agents.delete(runId);
    this.#agents.set(runId, { taskId: '', outcome });
    await settle(runId, { outcome, retryInMs: 1_000, refusal: this.#refusal(outcome) }, this.#needs);
    this.#agents.delete(runId);
  }

  /** Some providers say until when they refuse, and some do not. */
  #refusal(outcome: Outcome): SettledEnding['refusal'] {
    if (outcome !== 'rate_limited') return undefined;
    const { random, clock } = this.#world;
    return { jitter: random.next(), ...(random.chance(0.4) ? { until: instantOf(clock.ms + random.below(20_000)) } : {}) };
  }

  /** Stands for the gate: what was claimed to be finished is found to be. */
  async #prove(): Promise<void> {
    const { store, now } = this.#needs;
    for (const hit of await store.scan({ index: taskIndex.state('verifying'), limit: 10 })) {
      const task = tasks.read(hit);
      if (task.phase.state !== 'verifying') continue;
      const next = transition(task, { type: 'finish', at: now(), fence: fenceOf(task.phase.holder) });
      await store.commit(
        changeWrites(tasks, hit, next, { author: { by: 'gate', at: now() }, note: { what: 'finish', to: next.phase.state } }),
      );
    }
  }
}
