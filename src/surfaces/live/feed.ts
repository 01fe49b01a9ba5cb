import { isFault } from '../../domain/fault.ts';
import { isWithin, type TopicPosition } from '../../wire/topic.ts';
import { type EventBatch, type Happening, historyBatch } from './batch.ts';

/** Events are gathered this long after a write before the next: a flood becomes few and large writes. */
export const GATHER_MS = 40;

export interface FeedPage {
  readonly happenings: readonly Happening[];
  /** There may be more to read now. */
  readonly more: boolean;
  /** Nothing comes after these. */
  readonly over: boolean;
}

/** A history that grows at its end. Whoever reads from the same place reads the same. */
export interface FeedSource {
  /** Throws Fault('not_found') when the thing is gone. */
  read(after: TopicPosition): Promise<FeedPage>;
  /** Calls back whenever there may be more; answers how to stop that. */
  listen(stirred: () => void): () => void;
}

/** One who is told of everything the feed has found. */
export interface FeedListener {
  take(batch: EventBatch): void;
  gone(): void;
}

interface Surroundings {
  elapsed(): number;
  log(event: string, fields: Record<string, unknown>): void;
  /** The last listener has left. */
  onIdle(): void;
}

/**
 * Reads the end of one history for all who follow it: one read and one text for any number of clients. It begins where
 * its first listener has come to, and goes forward only.
 */
export class Feed {
  readonly topic: string;
  readonly source: FeedSource;
  readonly #surroundings: Surroundings;
  readonly #listeners = new Set<FeedListener>();
  readonly #deaf: () => void;
  #place: TopicPosition | undefined;
  #looking = false;
  #stirred = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(topic: string, source: FeedSource, surroundings: Surroundings) {
    this.topic = topic;
    this.source = source;
    this.#surroundings = surroundings;
    this.#deaf = source.listen(() => this.stir());
  }

  add(listener: FeedListener): void {
    this.#listeners.add(listener);
  }

  remove(listener: FeedListener): void {
    if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
    this.#deaf();
    clearTimeout(this.#timer);
    this.#surroundings.onIdle();
  }

  /**
   * A listener knows everything up to here, and nothing more. Where one stands before the feed, the feed goes back: what
   * the others know already is not told to them twice.
   */
  reached(place: TopicPosition): void {
    const before = this.#place;
    if (before && isWithin(before, place)) return;
    this.#place = before ? before.map((at, lane) => Math.min(at, place[lane] ?? 0)) : place;
    // What came after the listener's last page may have stirred when nobody knew from where to look.
    this.stir();
  }

  /** At once after a silence; in a flood, when the time to gather is over. */
  stir(): void {
    this.#stirred = true;
    if (this.#looking || this.#timer) return;
    const wait = this.#lookedAt + GATHER_MS - this.#surroundings.elapsed();
    if (wait <= 0) return void this.#look();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#look();
    }, wait);
  }

  async #look(): Promise<void> {
    if (!this.#place) return;
    this.#looking = true;
    this.#stirred = false;
    this.#lookedAt = this.#surroundings.elapsed();
    try {
      while (this.#listeners.size > 0 && (await this.#lookOnce(this.#place))) continue;
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#looking = false;
    }
    if (this.#stirred && this.#listeners.size > 0) this.stir();
  }

  async #lookOnce(from: TopicPosition): Promise<boolean> {
    const { happenings, more, over } = await this.source.read(from);
    // Somebody who stands before us has joined meanwhile: these come again, in their order.
    if (from !== this.#place) return true;
    if (happenings.length > 0 || over) this.#tell(historyBatch(this.topic, from, happenings, over));
    return more;
  }

  #tell(batch: EventBatch): void {
    this.#place = batch.to;
    for (const listener of this.#listeners) listener.take(batch);
  }

  #failed(error: unknown): void {
    if (isFault(error, 'not_found')) for (const listener of this.#listeners) listener.gone();
    else
      this.#surroundings.log('live.unread', { topic: this.topic, why: error instanceof Error ? error.message : String(error) });
  }
}
