import { Fault } from '../../src/domain/fault.ts';
import { assertWrites, STORE_LIMITS } from '../../src/store/assert-writes.ts';
import type { MemoryDisk } from '../../src/store/memory/memory-disk.ts';
import type { CommitOptions, Store, Write } from '../../src/store/port.ts';
import type { Random } from './random.ts';

/** A request on its way to the store, or an answer on its way back. */
interface Parcel {
  readonly actor: Actor;
  readonly deliver: () => void;
}

/** Somebody with a store handle. After its death no answer reaches it. */
export interface Actor {
  alive: boolean;
}

/** The wire between actors and one disk: it delays, reorders, repeats and loses, by the seed alone. */
export class Network {
  readonly #disk: MemoryDisk;
  readonly #random: Random;
  readonly #onCommit: (writes: readonly Write[]) => void;
  #parcels: Parcel[] = [];
  faulty = true;

  constructor(disk: MemoryDisk, random: Random, onCommit: (writes: readonly Write[]) => void) {
    this.#disk = disk;
    this.#random = random;
    this.#onCommit = onCommit;
  }

  get busy(): boolean {
    return this.#parcels.length > 0;
  }

  /** Delivers one parcel, any one. Requests of the dead are still delivered, or lost: both happen. */
  step(): void {
    if (this.#parcels.length === 0) return;
    const [parcel] = this.#parcels.splice(this.#random.below(this.#parcels.length), 1);
    if (parcel && (parcel.actor.alive || this.#random.chance(0.5))) parcel.deliver();
  }

  handle(actor: Actor): Store {
    const ask = <Answer>(verb: () => Answer, repeatable: boolean): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const send = () => this.#send(actor, () => this.#answer(actor, verb, { resolve, reject }));
        send();
        // A client library that lost patience sends again: the second answer reaches nobody.
        if (repeatable && this.faulty && this.#random.chance(0.03)) this.#send(actor, () => attempt(verb));
      });
    return {
      limits: STORE_LIMITS,
      get: (key) => ask(() => this.#disk.get(key), false),
      scan: (query) => ask(() => this.#disk.scan(query), false),
      count: (query) => ask(() => this.#disk.count(query), false),
      commit: (writes: readonly Write[], _options?: CommitOptions) => {
        const checked = assertWrites(writes, STORE_LIMITS);
        return ask(() => {
          const version = this.#disk.commit(checked);
          this.#onCommit(writes);
          return version;
        }, true);
      },
      watch: () => {
        throw new Error('nobody watches in a simulation: turns are taken at random');
      },
      close: async () => undefined,
    };
  }

  #send(actor: Actor, deliver: () => void): void {
    this.#parcels.push({ actor, deliver });
  }

  #answer<Answer>(
    actor: Actor,
    verb: () => Answer,
    { resolve, reject }: { resolve: (answer: Answer) => void; reject: (error: unknown) => void },
  ): void {
    const outcome = attempt(verb);
    this.#send(actor, () => {
      if (!actor.alive) return;
      if (this.faulty && this.#random.chance(0.02)) reject(new Fault('unavailable', 'the answer was lost'));
      else if ('error' in outcome) reject(outcome.error);
      else resolve(outcome.answer);
    });
  }
}

const attempt = <Answer>(verb: () => Answer): { answer: Answer } | { error: unknown } => {
  try {
    return { answer: verb() };
  } catch (error) {
    if (error instanceof InvariantBroken) throw error;
    return { error };
  }
};

export class InvariantBroken extends Error {
  override readonly name = 'InvariantBroken';
}
