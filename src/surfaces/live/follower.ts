import { isFault } from '../../domain/fault.ts';
import { furthestPosition, type TopicPosition } from '../../wire/topic.ts';
import { type EventBatch, historyBatch } from './batch.ts';
import type { Feed, FeedListener } from './feed.ts';
import type { Pipe } from './pipe.ts';

interface Ways {
  readonly pipe: Pick<Pipe, 'send' | 'isFull' | 'drained'>;
  /** Asked before anything is told, of callers who do not see everything; throws a fault when it is no longer theirs. */
  readonly mayStill?: (() => Promise<void>) | undefined;
  /** The topic has come to its end, or is no longer there for this client. */
  onOver(why: 'end' | 'gone' | 'failed'): void;
}

/**
 * One client that follows one history. It reads pages up to the end by itself, and is then told by the feed; a client that
 * takes up too little goes back to reading, so that nothing is kept for it. Its place decides what is new to it, and moves
 * forward only: whatever overlaps is told once.
 */
export class Follower implements FeedListener {
  readonly #feed: Feed;
  readonly #ways: Ways;
  #place: TopicPosition;
  #state: 'reading' | 'live' | 'off' = 'reading';

  constructor(feed: Feed, place: TopicPosition, ways: Ways) {
    this.#feed = feed;
    this.#place = place;
    this.#ways = ways;
    feed.add(this);
    void this.#catchUp();
  }

  leave(): void {
    this.#state = 'off';
    this.#feed.remove(this);
  }

  gone(): void {
    this.#over('gone');
  }

  take(batch: EventBatch): void {
    if (this.#state !== 'live') return;
    // The batch is only a sign: what this one may have of it is read when it has been asked, or has room.
    if (this.#ways.mayStill || this.#ways.pipe.isFull()) void this.#catchUp();
    else this.#tell(batch);
  }

  /** What the feed tells while the last page is read is not heard: the feed goes back to where this one has come to. */
  async #catchUp(): Promise<void> {
    this.#state = 'reading';
    try {
      for (let more = true; more; ) {
        await this.#ways.pipe.drained();
        await this.#ways.mayStill?.();
        if (!this.#isReading()) return;
        const from = this.#place;
        const page = await this.#feed.source.read(from);
        if (!this.#isReading()) return;
        this.#tell(historyBatch(this.#feed.topic, from, page.happenings, page.over));
        more = page.more;
      }
    } catch (error) {
      return this.#over(isFault(error, 'not_found') || isFault(error, 'forbidden') ? 'gone' : 'failed');
    }
    if (!this.#isReading()) return;
    this.#state = 'live';
    this.#feed.reached(this.#place);
  }

  #tell(batch: EventBatch): void {
    const mine = isSame(batch.from, this.#place) ? batch : this.#newIn(batch);
    this.#place = furthestPosition(this.#place, mine.to);
    if (mine.happenings.length > 0) this.#ways.pipe.send(mine);
    if (mine.over) this.#over('end');
  }

  /** One that has read ahead of the feed gets a text of its own, with ids that do not send it back. */
  #newIn({ happenings, over }: EventBatch): EventBatch {
    const news = happenings.filter(({ lane, at }) => at > (this.#place[lane] ?? 0));
    return historyBatch(this.#feed.topic, this.#place, news, over);
  }

  #over(why: 'end' | 'gone' | 'failed'): void {
    if (this.#state === 'off') return;
    this.leave();
    this.#ways.onOver(why);
  }

  #isReading(): boolean {
    return this.#state === 'reading';
  }
}

const isSame = (one: TopicPosition, other: TopicPosition): boolean => one.every((at, lane) => at === other[lane]);
