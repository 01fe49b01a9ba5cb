import type { Call } from '../../src/contract/call.ts';
import { isFault } from '../../src/domain/fault.ts';
import type { Random } from './random.ts';

/** People and programs that hand in work over an unreliable wire, and ask again with the same key until they are answered. */
export class People {
  readonly #call: Call;
  readonly #random: Random;
  readonly accepted: string[] = [];
  readonly deleted = new Set<string>();
  #pending = 0;
  #keys = 0;

  constructor(call: Call, random: Random) {
    this.#call = call;
    this.#random = random;
  }

  get waiting(): boolean {
    return this.#pending > 0;
  }

  act(): void {
    const deed = this.#random.pick([
      this.#create,
      this.#create,
      this.#create,
      this.#cancel,
      this.#rewire,
      this.#claim,
      this.#delete,
      this.#dispatch,
    ]);
    this.#pending += 1;
    deed().then(this.#over, this.#refused);
  }

  readonly #over = (): void => {
    this.#pending -= 1;
  };

  readonly #refused = (error: unknown): void => {
    this.#pending -= 1;
    if (!isFault(error)) throw error;
  };

  /** The same request under the same key, until an answer arrives. */
  readonly #insist: Call = async (name, input) => {
    const key = `key-${(this.#keys += 1)}`;
    for (;;) {
      try {
        return await this.#call(name, input, { key });
      } catch (error) {
        if (!isFault(error, 'unavailable')) throw error;
      }
    }
  };

  readonly #known = (): string => this.#random.pick(this.accepted) ?? 'task_none';

  readonly #create = async (): Promise<void> => {
    const count = this.accepted.length === 0 ? 0 : this.#random.below(3);
    const after = Array.from({ length: count }, this.#known);
    const directory = this.#random.pick(['/plain', '/other', '/third']);
    const executor = this.#random.pick([[], ['codex'], ['claude']]);
    const task = await this.#insist('task.create', {
      prompt: 'work',
      directory,
      after,
      executor,
      draft: this.#random.chance(0.1),
    });
    this.accepted.push(task.id);
  };

  readonly #cancel = async (): Promise<void> => {
    if (this.#random.chance(0.4)) await this.#insist('task.cancel', { id: this.#known() });
  };

  readonly #dispatch = async (): Promise<void> => {
    await this.#insist('task.dispatch', { id: this.#known() });
  };

  readonly #rewire = async (): Promise<void> => {
    await this.#insist('task.edit', { id: this.#known(), after: [this.#known()] });
  };

  readonly #claim = async (): Promise<void> => {
    const id = this.#known();
    await this.#insist('task.claim', { id, as: 'ann' });
    if (this.#random.chance(0.7)) await this.#insist('task.complete', { id, as: 'ann' });
    else await this.#insist('task.unclaim', { id, as: 'ann' });
  };

  readonly #delete = async (): Promise<void> => {
    if (this.#random.chance(0.6)) return;
    const id = this.#known();
    await this.#insist('task.delete', { id });
    this.deleted.add(id);
  };
}
