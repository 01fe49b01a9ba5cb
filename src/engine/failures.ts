import type { LogSubject } from './subject.ts';

/** Turns without it after which a failure is news again. */
const FORGOTTEN_AFTER = 50;
const MOST = 1_000;

interface Failure {
  readonly times: number;
  readonly turn: number;
}

/** What fails again and again is said less and less often, each for itself: at its first, second, fourth … time. */
export class Failures {
  readonly #seen = new Map<string, Failure>();
  #turn = 0;

  /** A turn is over; these have failed in it. Answers how often each has, where that is worth a line. */
  of(failed: readonly { readonly about: LogSubject; readonly error: unknown }[]): readonly (number | undefined)[] {
    this.#turn += 1;
    for (const [key, { turn }] of this.#seen) if (this.#turn - turn > FORGOTTEN_AFTER) this.#seen.delete(key);
    return failed.map(({ about, error }) => {
      const key = JSON.stringify([about.taskId, about.runId, about.taskId || about.runId ? '' : String(error)]);
      const times = (this.#seen.get(key)?.times ?? 0) + 1;
      if (this.#seen.size >= MOST) this.#seen.clear();
      this.#seen.set(key, { times, turn: this.#turn });
      return (times & (times - 1)) === 0 ? times : undefined;
    });
  }
}
