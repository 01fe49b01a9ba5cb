import type { ControllerDeps } from './controller.ts';

/** Wakes one controller. A stir that comes after its turn has begun cuts its next rest short. */
export class Waker implements Pick<ControllerDeps, 'begin' | 'rest'> {
  #stirred = false;
  #wake = (): void => undefined;

  readonly wake = (): void => {
    this.#stirred = true;
    this.#wake();
  };

  readonly begin = (): void => {
    this.#stirred = false;
  };

  readonly rest = (ms: number, ending: AbortSignal): Promise<void> =>
    new Promise<void>((resolve) => {
      if (this.#stirred || ending.aborted) return resolve();
      const over = () => {
        clearTimeout(timer);
        ending.removeEventListener('abort', over);
        resolve();
      };
      const timer = setTimeout(over, ms);
      this.#wake = over;
      ending.addEventListener('abort', over, { once: true });
    });
}

/** Others commit in storms, and each look of a controller costs some reads. */
const PAUSE_MS = 10;

/** Does it at once, and once more after a pause when it was asked for meanwhile. */
export function paced(work: () => void, ending: AbortSignal): () => void {
  let pause: NodeJS.Timeout | undefined;
  let isAsked = false;
  const begin = (): void => {
    isAsked = false;
    pause = setTimeout(over, PAUSE_MS).unref();
    work();
  };
  const over = (): void => {
    pause = undefined;
    if (isAsked && !ending.aborted) begin();
  };
  return () => {
    isAsked = true;
    if (pause === undefined) begin();
  };
}
