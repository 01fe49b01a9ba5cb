import { describe, expect, it } from 'vitest';
import { Fault } from '../../domain/fault.ts';
import { parseEventId, startPosition, type TopicPosition } from '../../wire/topic.ts';
import type { EventBatch, Happening } from './batch.ts';
import { Feed, type FeedPage } from './feed.ts';
import { Follower } from './follower.ts';

type Random = () => number;

/** The same numbers for the same seed. */
function seeded(seed: number): Random {
  let state = seed + 1;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Two streams that grow while they are read; reading takes a while, and pages are short. */
function growing(random: Random) {
  const lanes: string[][] = [[], []];
  const heard = new Set<() => void>();
  const read = async (after: TopicPosition): Promise<FeedPage> => {
    for (let turns = Math.floor(random() * 3); turns > 0; turns -= 1) await turn();
    const happenings = lanes.flatMap((lines, lane) =>
      lines
        .slice(after[lane], (after[lane] ?? 0) + 3)
        .map((text, index): Happening => ({ event: 'line', data: { lane, text }, lane, at: (after[lane] ?? 0) + index + 1 })),
    );
    const more = lanes.some((lines, lane) => lines.length > (after[lane] ?? 0) + 3);
    for (let turns = Math.floor(random() * 3); turns > 0; turns -= 1) await turn();
    return { happenings, more, over: false };
  };
  return {
    lanes,
    read,
    listen: (stirred: () => void) => {
      heard.add(stirred);
      return () => void heard.delete(stirred);
    },
    grow: (lane: number) => {
      lanes[lane]?.push(`${lane}:${lanes[lane].length}`);
      for (const stirred of heard) stirred();
    },
  };
}

/** A client that reads ids as a browser would: the last one is where it goes on. */
class Client {
  readonly seen: string[][] = [[], []];
  readonly ids: string[] = [];
  place: TopicPosition = startPosition({ kind: 'run' });
  over: string | undefined;
  #follower: Follower | undefined;
  #full = false;
  #drained = (): void => undefined;

  join(feed: Feed): void {
    this.#full = false;
    this.#follower = new Follower(feed, this.place, {
      pipe: {
        isFull: () => this.#full,
        drained: () => new Promise((resolve) => (this.#full ? (this.#drained = resolve) : resolve())),
        send: (batch) => this.#take(batch as EventBatch),
      },
      onOver: (why) => {
        this.over = why;
      },
    });
  }

  leave(): void {
    this.#follower?.leave();
    this.#follower = undefined;
    this.drain();
  }

  fill(): void {
    this.#full = true;
  }

  drain(): void {
    this.#full = false;
    this.#drained();
  }

  #take(batch: EventBatch): void {
    for (const block of batch.sse.toString().split('\n\n').slice(0, -1)) {
      const [id = '', , data = ''] = block.split('\n');
      const { lane, text } = JSON.parse(data.slice('data: '.length)) as { lane: number; text: string };
      this.seen[lane]?.push(text);
      this.ids.push(id.slice('id: '.length));
      this.place = parseEventId(id.slice('id: '.length)).place;
    }
  }
}

const feedOf = (source: ConstructorParameters<typeof Feed>[1], onIdle = () => undefined) =>
  new Feed('run/x', source, { elapsed: () => performance.now(), log: () => undefined, onIdle });

describe('followers of one history', () => {
  it('get everything once and in order, whenever they join, leave, stall and come back [API-04]', async () => {
    for (let seed = 0; seed < 60; seed += 1) {
      const random = seeded(seed);
      const source = growing(random);
      let feed = feedOf(source);
      const clients = Array.from({ length: 6 }, () => new Client());
      for (const client of clients) client.join(feed);
      for (let step = 0; step < 120; step += 1) {
        const client = clients[Math.floor(random() * clients.length)] as Client;
        const what = random();
        if (what < 0.5) source.grow(random() < 0.6 ? 0 : 1);
        else if (what < 0.6) client.fill();
        else if (what < 0.75) client.drain();
        else if (what < 0.85) {
          client.leave();
          client.join(feed);
        } else if (what < 0.87) {
          // Another server takes over: its feed knows nothing of the first.
          for (const one of clients) one.leave();
          feed = feedOf(source);
          for (const one of clients) one.join(feed);
        }
        if (random() < 0.4) await turn();
      }
      for (const client of clients) client.drain();
      await expect
        .poll(() => clients.every(({ seen }) => seen.every((lines, lane) => lines.length >= (source.lanes[lane]?.length ?? 0))), {
          interval: 5,
          timeout: 5_000,
        })
        .toBe(true);
      for (const client of clients) {
        expect(client.seen, `seed ${seed}`).toEqual(source.lanes);
        expect(new Set(client.ids).size).toBe(client.ids.length);
        client.leave();
      }
    }
  });

  it('are served by one read, and its text is made once', async () => {
    let reads = 0;
    const source = growing(() => 0);
    const feed = feedOf({ ...source, read: (after) => source.read(after).finally(() => (reads += 1)) });
    const texts = new Set<Buffer>();
    const followers = Array.from(
      { length: 100 },
      () =>
        new Follower(feed, startPosition({ kind: 'run' }), {
          pipe: { isFull: () => false, drained: async () => undefined, send: ({ sse }) => void texts.add(sse) },
          onOver: () => undefined,
        }),
    );
    await expect.poll(() => reads).toBeGreaterThanOrEqual(100);
    for (let quiet = 0; quiet < 20; quiet += 1) await turn();
    const before = reads;
    source.grow(0);
    await expect.poll(() => texts.size).toBe(1);
    expect(reads - before).toBeLessThan(5);
    for (const follower of followers) follower.leave();
  });

  it('are told when it is gone, and the feed ends with the last of them', async () => {
    let idle = 0;
    const source = growing(() => 0);
    let isGone = false;
    const feed = feedOf(
      {
        ...source,
        read: async (after) => {
          if (isGone) throw new Fault('not_found', 'gone');
          return source.read(after);
        },
      },
      () => void (idle += 1),
    );
    const [one, other] = [new Client(), new Client()];
    one.join(feed);
    other.join(feed);
    source.grow(0);
    await expect.poll(() => one.seen[0]?.length).toBe(1);
    isGone = true;
    source.grow(0);
    await expect.poll(() => [one.over, other.over]).toEqual(['gone', 'gone']);
    expect(idle).toBe(1);
  });

  it('hold up nobody by a place that nobody has come to', async () => {
    const source = growing(() => 0);
    const feed = feedOf(source);
    const [ahead, usual] = [new Client(), new Client()];
    ahead.place = [1_000, 1_000, 0];
    ahead.join(feed);
    for (let quiet = 0; quiet < 20; quiet += 1) await turn();
    usual.join(feed);
    source.grow(0);
    source.grow(0);
    await expect.poll(() => usual.seen[0]).toEqual(['0:0', '0:1']);
    expect(ahead.seen[0]).toEqual([]);
    ahead.leave();
    usual.leave();
  });
});
