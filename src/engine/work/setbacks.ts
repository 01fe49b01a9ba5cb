import { machineRetryMs } from '../../domain/machine-error.ts';
import type { LogSubject } from '../subject.ts';
import type { WorkDeps } from './deps.ts';

export interface Setback {
  /** Failures in a row. */
  readonly times: number;
  /** Since the first of them. */
  readonly forMs: number;
}

interface Entry {
  readonly times: number;
  readonly since: number;
  readonly notBefore: number;
}

/** What has failed and is tried again later, each after a rest of its own: nothing else waits for it. */
export class Setbacks {
  readonly #needs: Pick<WorkDeps, 'elapsed' | 'log'>;
  readonly #name: string;
  readonly #entries = new Map<string, Entry>();

  constructor(name: string, needs: Pick<WorkDeps, 'elapsed' | 'log'>) {
    this.#name = name;
    this.#needs = needs;
  }

  isDue(key: string): boolean {
    const entry = this.#entries.get(key);
    return entry === undefined || this.#needs.elapsed() >= entry.notBefore;
  }

  /** It failed. What fails again and again is said less and less often. */
  note(key: string, error: unknown, about: LogSubject = {}): Setback {
    const now = this.#needs.elapsed();
    const before = this.#entries.get(key);
    const times = (before?.times ?? 0) + 1;
    const since = before?.since ?? now;
    this.#entries.set(key, { times, since, notBefore: now + machineRetryMs(times) });
    if ((times & (times - 1)) === 0)
      this.#needs.log('action.failed', {
        controller: this.#name,
        about: key,
        ...about,
        failures: times,
        error: String(error),
      });
    return { times, forMs: now - since };
  }

  over(key: string): void {
    this.#entries.delete(key);
  }

  /** What is not among these has come to its end in another way. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#entries.keys()) if (!keys.has(key)) this.#entries.delete(key);
  }

  /** Until the first of them is to be tried again. */
  dueInMs(): number | undefined {
    const soonest = Math.min(...[...this.#entries.values()].map(({ notBefore }) => notBefore));
    return Number.isFinite(soonest) ? Math.max(0, soonest - this.#needs.elapsed()) : undefined;
  }
}
