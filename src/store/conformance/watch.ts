import { describe, expect, it, vi } from 'vitest';
import type { Store, Write } from '../port.ts';
import { put } from './notes.ts';
import type { MakeStorage } from './storage.ts';

/** Resolves when a watcher was told to look and then saw what it waited for, with how often it looked. */
async function looksUntil(store: Store, isThere: () => Promise<boolean>): Promise<number> {
  const control = new AbortController();
  let looks = 0;
  for await (const _ of store.watch(control.signal)) {
    looks += 1;
    if (await isThere()) control.abort();
  }
  expect(await isThere(), 'the watch ended before what it was to see was there').toBe(true);
  return looks;
}

const holds = (store: Store, id: string) => async () => (await store.get({ kind: 'note', id })) !== undefined;

export const watchConformance = (make: MakeStorage) =>
  describe('watch', () => {
    it('hints after a commit of its own handle', async () => {
      await using storage = await make();
      const store = await storage.open();
      const looked = looksUntil(store, holds(store, 'a'));
      await store.commit([put('a', 'absent')]);
      expect(await looked).toBeGreaterThan(0);
    });

    it('hints after a commit of another handle', async () => {
      await using storage = await make();
      const [one, other] = [await storage.open(), await storage.open()];
      for (const id of ['a', 'b', 'c']) {
        const looked = looksUntil(other, holds(other, id));
        await one.commit([put(id, 'absent')]);
        expect(await looked).toBeGreaterThan(0);
      }
    });

    it('keeps a hint for a watcher that is busy', async () => {
      await using storage = await make();
      const store = await storage.open();
      const control = new AbortController();
      const watched = store.watch(control.signal)[Symbol.asyncIterator]();
      for (const id of ['a', 'b', 'c']) await store.commit([put(id, 'absent')]);
      expect((await watched.next()).done).toBe(false);
      control.abort();
      expect((await watched.next()).done).toBe(true);
    });

    it('spares whoever watches as somebody its own commits, and none of the others', async () => {
      await using storage = await make();
      const [store, other] = [await storage.open(), await storage.open()];
      const me = {};
      const control = new AbortController();
      let hints = 0;
      const watching = (async () => {
        for await (const _ of store.watch(control.signal, { except: me })) hints += 1;
      })();
      const own = Array.from({ length: 30 }, (_, n) => `mine-${n}`);
      for (const id of own) await store.commit([put(id, 'absent')], { by: me });
      // One may come for what was there before it watched.
      expect(hints).toBeLessThan(5);
      for (const [id, commit] of [
        ['unsigned', (write: Write) => store.commit([write])],
        ['yours', (write: Write) => store.commit([write], { by: {} })],
        ['elsewhere', (write: Write) => other.commit([write], { by: me })],
      ] as const) {
        const before = hints;
        await commit(put(id, 'absent'));
        await vi.waitFor(() => expect(hints).toBeGreaterThan(before), 5_000);
      }
      control.abort();
      await watching;
    });

    it('tells whoever looks outside of the commits of others alone', async () => {
      await using storage = await make();
      const [store, other] = [await storage.open(), await storage.open()];
      const control = new AbortController();
      let hints = 0;
      const watching = (async () => {
        for await (const _ of store.watch(control.signal, { outside: true })) hints += 1;
      })();
      for (const id of Array.from({ length: 30 }, (_, n) => `own-${n}`)) await store.commit([put(id, 'absent')]);
      // One may come for what was there before it watched.
      expect(hints).toBeLessThan(5);
      const before = hints;
      await other.commit([put('elsewhere', 'absent')]);
      await vi.waitFor(() => expect(hints).toBeGreaterThan(before), 5_000);
      control.abort();
      await watching;
    });

    it('serves many watchers', async () => {
      await using storage = await make();
      const store = await storage.open();
      const all = Array.from({ length: 20 }, () => looksUntil(store, holds(store, 'a')));
      await store.commit([put('a', 'absent')]);
      expect((await Promise.all(all)).filter((looks) => looks === 0)).toEqual([]);
    });

    it('ends when its signal is aborted, before or while it waits', async () => {
      await using storage = await make();
      const store = await storage.open();
      for await (const _ of store.watch(AbortSignal.abort())) expect.unreachable();
      const control = new AbortController();
      const waiting = looksUntilEnd(store, control.signal);
      control.abort();
      expect(await waiting).toBe('ended');
    });

    it('ends when the store closes', async () => {
      await using storage = await make();
      const store = await storage.open();
      const waiting = looksUntilEnd(store, new AbortController().signal);
      await store.close();
      expect(await waiting).toBe('ended');
    });
  });

async function looksUntilEnd(store: Store, signal: AbortSignal): Promise<'ended'> {
  for await (const _ of store.watch(signal)) continue;
  return 'ended';
}
