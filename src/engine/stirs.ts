import type { Surroundings } from './controller.ts';

/** Wakes whoever rests. Stirs are counted, so that one that comes while a controller is at work cuts its next rest short. */
export class Stirs {
  #count = 0;
  #wakeAll = new AbortController();

  stir(): void {
    this.#count += 1;
    this.#wakeAll.abort();
    this.#wakeAll = new AbortController();
  }

  /** A rest of its own for one controller. */
  rester(): Surroundings['rest'] {
    let known = this.#count;
    return async (ms, ending) => {
      if (known === this.#count) await pause(ms, AbortSignal.any([ending, this.#wakeAll.signal]));
      known = this.#count;
    };
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise<void>((resolve) => {
    if (signal.aborted) return resolve();
    const over = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    signal.addEventListener('abort', over, { once: true });
  });
