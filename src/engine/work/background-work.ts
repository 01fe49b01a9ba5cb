import { Fault, isFault } from '../../domain/fault.ts';

/** Longer than this no turn waits for work that goes on beside it. */
const PATIENCE_MS = 25;

type Finished = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

/**
 * Work that takes as long as it takes, beside the turns of a controller. It is started once, its result is taken once, and
 * what dies with the process is simply begun again: everything that is done beside is safe to repeat.
 */
export class BackgroundWork {
  readonly #going = new Map<string, Promise<void>>();
  readonly #finished = new Map<string, Finished>();
  #stir = (): void => undefined;

  /** Whom to wake when something has ended. */
  onDone(stir: () => void): void {
    this.#stir = stir;
  }

  /** The result, if there is one by now; otherwise it goes on, and the controller is woken when there is. */
  async take<Value>(key: string, work: () => Promise<Value>): Promise<{ readonly value: Value } | undefined> {
    if (!this.#finished.has(key) && !this.#going.has(key)) this.#begin(key, work);
    const going = this.#going.get(key);
    if (going) await Promise.race([going, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
    const finished = this.#finished.get(key);
    if (!finished) return undefined;
    this.#finished.delete(key);
    if (!finished.ok) throw asFailure(finished.error);
    return { value: finished.value as Value };
  }

  /** Whether something whose name begins so goes on, or has a result nobody has taken. */
  has(beginning: string): boolean {
    return [...this.#going.keys(), ...this.#finished.keys()].some((key) => key.startsWith(beginning));
  }

  /** Whether something whose name begins so goes on. */
  isGoing(beginning: string): boolean {
    return [...this.#going.keys()].some((key) => key.startsWith(beginning));
  }

  #begin(key: string, work: () => Promise<unknown>): void {
    const going = work()
      .then(
        (value) => void this.#finished.set(key, { ok: true, value }),
        (error: unknown) => void this.#finished.set(key, { ok: false, error }),
      )
      .finally(() => {
        this.#going.delete(key);
        this.#stir();
      });
    this.#going.set(key, going);
  }
}

/** What git or the disk refuses is no race for a row, and looking again at once would change nothing. */
const asFailure = (error: unknown): unknown =>
  isFault(error, 'conflict') ? new Fault('unavailable', error.message, { ...error.details }, { cause: error }) : error;
