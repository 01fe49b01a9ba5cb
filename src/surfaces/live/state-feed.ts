import type { Call } from '../../contract/call.ts';
import { isFault } from '../../domain/fault.ts';
import { passingBatch } from './batch.ts';
import type { CommitNews } from './deps.ts';
import { GATHER_MS } from './feed.ts';
import type { NewsRouter } from './news-router.ts';
import type { Pipe } from './pipe.ts';

/** Not oftener than this are all clients asked to begin afresh because of what other processes do. */
const RESET_MS = 1_000;
/** And this for what one client may not see: it learns only that something is no longer as it was. */
const HIDDEN_RESET_MS = 5_000;
/** Past so many changes at once, to begin afresh is less. */
const MOST = 500;

type Kind = 'board' | 'questions';

const THINGS = { board: 'task', questions: 'question' } as const;

interface Surroundings {
  elapsed(): number;
  onIdle(): void;
}

/**
 * Says of each thing how far its history is; what that means is asked by whoever wants to know. What this process commits
 * is known exactly; after a commit of another process everybody begins afresh.
 */
export class StateFeed {
  readonly #kind: Kind;
  readonly #surroundings: Surroundings;
  readonly #followers = new Set<StateFollower>();
  readonly #deaf: () => void;
  #changes = new Map<string, CommitNews>();
  #isReset = false;
  #timer: NodeJS.Timeout | undefined;
  #resetAt = Number.NEGATIVE_INFINITY;

  constructor(kind: Kind, stirs: NewsRouter, surroundings: Surroundings) {
    this.#kind = kind;
    this.#surroundings = surroundings;
    this.#deaf = stirs.all((news) => this.#hear(news));
  }

  add(follower: StateFollower): void {
    this.#followers.add(follower);
    follower.reset();
  }

  remove(follower: StateFollower): void {
    follower.leave();
    if (!this.#followers.delete(follower) || this.#followers.size > 0) return;
    this.#deaf();
    clearTimeout(this.#timer);
    this.#surroundings.onIdle();
  }

  #hear(news: readonly CommitNews[] | 'elsewhere'): void {
    if (news === 'elsewhere') this.#isReset = true;
    else for (const one of news) if (this.#isMine(one)) this.#changes.set(one.of, one);
    if (this.#changes.size > MOST) this.#isReset = true;
    if (!this.#isReset && this.#changes.size === 0) return;
    const wait = this.#isReset ? Math.max(GATHER_MS, this.#resetAt + RESET_MS - this.#surroundings.elapsed()) : GATHER_MS;
    this.#timer ??= setTimeout(() => this.#flush(), wait);
  }

  #isMine({ of, n, gone }: CommitNews): boolean {
    return of.startsWith(`${THINGS[this.#kind]}_`) && (n !== undefined || gone === true);
  }

  #flush(): void {
    this.#timer = undefined;
    const changes = [...this.#changes.values()];
    const isReset = this.#isReset;
    this.#changes = new Map();
    this.#isReset = false;
    if (isReset) this.#resetAt = this.#surroundings.elapsed();
    const batch = passingBatch(changes.map((news) => toldOf(this.#kind, news)));
    for (const follower of this.#followers) {
      if (isReset) follower.reset();
      else follower.take(changes, batch);
    }
  }
}

const toldOf = (kind: Kind, { of, n, gone }: CommitNews) => ({
  event: 'at',
  data: { topic: kind, [THINGS[kind]]: of, ...(gone ? { gone } : { n }) },
});

interface Ways {
  readonly pipe: Pick<Pipe, 'send' | 'isFull' | 'drained'>;
  /** Of a caller who does not see everything. */
  readonly call?: Call | undefined;
  elapsed(): number;
}

/** One client of a state topic. Whatever it misses, it is asked to begin afresh. */
export class StateFollower {
  readonly #kind: Kind;
  readonly #ways: Ways;
  #isOff = false;
  #waits = false;
  #hiddenAt = Number.NEGATIVE_INFINITY;

  constructor(kind: Kind, ways: Ways) {
    this.#kind = kind;
    this.#ways = ways;
  }

  leave(): void {
    this.#isOff = true;
  }

  take(changes: readonly CommitNews[], batch: ReturnType<typeof passingBatch>): void {
    if (this.#ways.call) void this.#takeSeen(changes, this.#ways.call);
    else if (this.#ways.pipe.isFull()) this.reset();
    else this.#ways.pipe.send(batch);
  }

  reset(): void {
    if (this.#waits || this.#isOff) return;
    this.#waits = true;
    void this.#ways.pipe.drained().then(() => {
      this.#waits = false;
      if (!this.#isOff) this.#ways.pipe.send(passingBatch([{ event: 'reset', data: { topic: this.#kind } }]));
    });
  }

  /** What is not the caller's is not named. */
  async #takeSeen(changes: readonly CommitNews[], call: Call): Promise<void> {
    const seen = await Promise.all(changes.map(async (news) => (await isSeen(this.#kind, news, call)) && news));
    if (this.#isOff) return;
    const mine = seen.filter((news) => news !== false);
    if (mine.length > 0) this.#ways.pipe.send(passingBatch(mine.map((news) => toldOf(this.#kind, news))));
    const now = this.#ways.elapsed();
    if (mine.length === changes.length || now - this.#hiddenAt < HIDDEN_RESET_MS) return;
    this.#hiddenAt = now;
    this.reset();
  }
}

async function isSeen(kind: Kind, { of, gone }: CommitNews, call: Call): Promise<boolean> {
  if (gone || kind === 'questions') return false;
  try {
    await call('task.show', { id: of });
    return true;
  } catch (error) {
    if (isFault(error)) return false;
    throw error;
  }
}
