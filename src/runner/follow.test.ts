import { readdirSync } from 'node:fs';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { follow } from './follow.ts';

it('wakes for a change well before the slow poll, and ends when told', async () => {
  await using place = await folder();
  const stop = new AbortController();
  const turns = follow([join(place.path, 'out'), join(place.path, 'exit')], stop.signal);
  expect(await turns.next()).toEqual({ done: false, value: undefined });
  // A busy machine may be late at one of them; without a watch each would take the whole second of the poll.
  const delays: number[] = [];
  for (let n = 0; n < 20 && !delays.some((ms) => ms < 500); n += 1) {
    const woken = turns.next();
    const wroteAt = performance.now();
    await appendFile(join(place.path, 'out'), 'x');
    await woken;
    delays.push(performance.now() - wroteAt);
  }
  expect(Math.min(...delays)).toBeLessThan(500);
  const last = settle(turns);
  stop.abort();
  await last;
});

it('wakes without a hint too, also when there is nothing to watch', async () => {
  const stop = new AbortController();
  const turns = follow(['/nowhere/at/all/out'], stop.signal);
  await turns.next();
  const askedAt = performance.now();
  await turns.next();
  expect(performance.now() - askedAt).toBeGreaterThan(900);
  stop.abort();
});

it('holds no descriptor per file', async () => {
  await using place = await folder();
  const stop = new AbortController();
  const start = (n: number) => follow([join(place.path, `out${n}`)], stop.signal);
  const first = start(0);
  await first.next();
  const before = readdirSync('/proc/self/fd').length;
  const all = Array.from({ length: 50 }, (_, n) => start(n));
  await Promise.all(all.map((turns) => turns.next()));
  expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before);
  stop.abort();
  await Promise.all([first, ...all].map(settle));
});

async function settle(turns: AsyncGenerator<void>): Promise<void> {
  for await (const _ of turns) continue;
}

async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'fleet-follow-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
