import type { CommitNews, LiveDeps } from './deps.ts';

/** Hints of other processes are gathered: each may mean every topic. */
const ELSEWHERE_MS = 200;

/** Hands news to those who asked for one thing, and all of it to those who asked for all. */
export class NewsRouter {
  readonly #byThing = new Map<string, Set<() => void>>();
  readonly #everything = new Set<(news: readonly CommitNews[] | 'elsewhere') => void>();
  #soon: NodeJS.Timeout | undefined;

  constructor({ onNews }: Pick<LiveDeps, 'onNews'>, signal: AbortSignal) {
    onNews((news) => (news === 'elsewhere' ? this.#elsewhere() : this.#here(news)), signal);
    signal.addEventListener('abort', () => clearTimeout(this.#soon), { once: true });
  }

  of(thing: string, stirred: () => void): () => void {
    const heard = this.#byThing.get(thing) ?? new Set();
    this.#byThing.set(thing, heard.add(stirred));
    return () => {
      heard.delete(stirred);
      if (heard.size === 0 && this.#byThing.get(thing) === heard) this.#byThing.delete(thing);
    };
  }

  all(heard: (news: readonly CommitNews[] | 'elsewhere') => void): () => void {
    this.#everything.add(heard);
    return () => void this.#everything.delete(heard);
  }

  #here(news: readonly CommitNews[]): void {
    for (const { of } of news) for (const stirred of this.#byThing.get(of) ?? []) stirred();
    for (const heard of this.#everything) heard(news);
  }

  #elsewhere(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      for (const heard of this.#byThing.values()) for (const stirred of heard) stirred();
      for (const heard of this.#everything) heard('elsewhere');
    }, ELSEWHERE_MS);
  }
}
