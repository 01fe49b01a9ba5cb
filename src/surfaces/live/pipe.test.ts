import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../domain/limits.ts';
import type { Happening } from './batch.ts';
import { Feed } from './feed.ts';
import { Follower } from './follower.ts';
import { Pipe } from './pipe.ts';

const EVENTS = 4_000;
const PAGE = 20;
const TEXT = 'x'.repeat(4_000);

/** Some 16 MB, a page at a time. */
const history = {
  read: async ([after = 0]: readonly number[]) => {
    const count = Math.min(PAGE, EVENTS - after);
    const happenings = Array.from({ length: count }, (_, n): Happening => {
      const at = after + n + 1;
      return { event: 'entry', data: { n: at, TEXT }, lane: 0, at };
    });
    return { happenings, more: after + count < EVENTS, over: false };
  },
  listen: () => () => undefined,
};

describe('a pipe to a client that does not read', () => {
  it('holds a limited number of bytes, and goes on when it reads [R43]', async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    const [socket] = (await once(server, 'connection')) as [Socket];
    let most = 0;
    const wire = {
      socket,
      write: ({ sse }: { sse: Buffer }) => {
        socket.write(sse);
        most = Math.max(most, socket.writableLength);
      },
      beat: () => undefined,
      end: () => undefined,
    };
    const elapsed = () => performance.now();
    const pipe = new Pipe(wire, elapsed);
    const feed = new Feed('task/x', history, { elapsed, log: () => undefined, onIdle: () => undefined });
    const follower = new Follower(feed, [0], { pipe, onOver: () => undefined });
    try {
      await expect.poll(() => pipe.stalledMs()).toBeGreaterThan(0);
      for (let quiet = 0; quiet < 100; quiet += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(most).toBeLessThan(LIMITS.liveBufferBytes.value + 2 * PAGE * TEXT.length);
      const ids: string[] = [];
      let rest = '';
      client.setEncoding('utf8').on('data', (part: string) => {
        const lines = (rest + part).split('\n');
        rest = lines.pop() ?? '';
        ids.push(...lines.filter((line) => line.startsWith('id: ')));
      });
      client.resume();
      await expect.poll(() => ids.length, { timeout: 8_000 }).toBe(EVENTS);
      expect(ids).toEqual(Array.from({ length: EVENTS }, (_, n) => `id: task/x@${n + 1}`));
      expect(pipe.stalledMs()).toBe(0);
      expect(most).toBeLessThan(LIMITS.liveBufferBytes.value + 2 * PAGE * TEXT.length);
    } finally {
      follower.leave();
      client.destroy();
      socket.destroy();
      server.close();
    }
  });
});
