import { describe, expect, it, vi } from 'vitest';
import { engineHouse } from '../../test/support/engine-house.ts';
import { isFault } from '../domain/fault.ts';
import type { Store } from '../store/port.ts';
import { type EngineOptions, runEngine } from './engine.ts';
import { type EngineIdentity, leaseHolder, takeLease } from './lease.ts';

const process = (pid: number, boot = 'boot-1'): EngineIdentity => ({ host: 'here', boot, pid, started: `t${pid}` });

function engines(alive: Set<number>) {
  const house = engineHouse({ fleet: 3 });
  const needs = (pid: number, store: Store = house.store): EngineOptions => ({
    ...house.needs,
    store,
    elapsed: () => performance.now(),
    self: process(pid),
    alive: async (identity) => alive.has(identity.pid),
    log: () => undefined,
  });
  return { house, needs };
}

describe('an engine', () => {
  it('releases and claims by itself, as soon as the store stirs, and stops when asked [TASK-03]', async () => {
    const { house, needs } = engines(new Set([1]));
    const stopping = new AbortController();
    const running = runEngine(needs(1), stopping.signal);
    const first = await house.call('task.create', { directory: '/plain', prompt: 'first', executor: ['scripted'] });
    const second = await house.call('task.create', { directory: '/plain', prompt: 'second', after: [first.id] });
    await house.call('task.claim', { id: first.id });
    await house.call('task.complete', { id: first.id });
    await vi.waitFor(async () => expect((await house.call('task.show', { id: second.id })).phase.state).toBe('running'), 5_000);
    stopping.abort();
    await running;
    expect(await leaseHolder({ ...needs(1) })).toBeUndefined();
  });

  it('starts waiting work at once when a setting makes room for it [CONF-01]', async () => {
    const { house, needs } = engines(new Set([1]));
    const stopping = new AbortController();
    const listeners: (() => void)[] = [];
    let fleet = 1;
    const own = { ...needs(1), capacity: async () => ({ fleet, executor: {}, account: {}, project: {} }) };
    const running = runEngine({ ...own, onSettings: (changed) => void listeners.push(changed) }, stopping.signal);
    for (const prompt of ['first', 'second'])
      await house.call('task.create', { directory: prompt === 'first' ? '/plain' : '/repo', prompt, executor: ['claude'] });
    const atWork = async () => (await house.call('task.list', { state: ['running'] })).items.length;
    await vi.waitFor(async () => expect(await atWork()).toBe(1), 5_000);
    fleet = 2;
    for (const changed of listeners) changed();
    // Nothing else stirs, and dispatch looks by itself every 15 seconds only.
    await vi.waitFor(async () => expect(await atWork()).toBe(2), 10_000);
    stopping.abort();
    await running;
  });

  it('refuses to run beside another one on the same home, and names it [RUN-02] [R14]', async () => {
    const { needs } = engines(new Set([1, 2]));
    const stopping = new AbortController();
    const running = runEngine(needs(1), stopping.signal);
    await vi.waitFor(async () => expect(await leaseHolder({ ...needs(2) })).toBeDefined(), 5_000);
    await expect(runEngine(needs(2), stopping.signal)).rejects.toThrow('process 1 on here');
    stopping.abort();
    await running;
  });

  it('takes over from a dead process at once, from a live one never [RUN-02]', async () => {
    const alive = new Set([1, 2]);
    const { needs } = engines(alive);
    const take = (pid: number) => takeLease({ ...needs(pid), forMs: 60_000 });
    await take(1);
    await expect(take(2)).rejects.toSatisfy((error) => isFault(error, 'conflict'));
    alive.delete(1);
    await take(2);
  });

  it('is taken for dead after a reboot, whatever runs under its number now [RUN-02]', async () => {
    const { needs } = engines(new Set([1]));
    const stale = await takeLease({ ...needs(1), forMs: 60_000 });
    const fresh = await takeLease({ ...needs(1), self: process(1, 'boot-2'), forMs: 60_000 });
    await expect(stale.renew()).rejects.toSatisfy((error) => isFault(error, 'conflict'));
    await expect(fresh.renew()).resolves.not.toThrow();
  });

  it('cannot write any more once its lease was taken [RUN-02]', async () => {
    const alive = new Set([1]);
    const { house, needs } = engines(alive);
    const stale = await takeLease({ ...needs(1), forMs: 60_000 });
    alive.delete(1);
    await takeLease({ ...needs(2), forMs: 60_000 });
    await expect(house.store.commit([stale.fence()])).rejects.toSatisfy((error) => isFault(error, 'conflict'));
    await expect(stale.renew()).rejects.toSatisfy((error) => isFault(error, 'conflict'));
  });

  it('that has slept, by either clock, asks whether it still is the one before it does anything [RUN-02]', async () => {
    const { house, needs } = engines(new Set([1]));
    let elapsed = 0;
    const lease = await takeLease({ ...needs(1), elapsed: () => elapsed, forMs: 60_000 });
    const version = async () => (await house.store.get(lease.fence().key))?.version;
    const first = await version();
    elapsed += 20_000;
    await lease.assure();
    expect(await version()).toBe(first);
    elapsed += 20_000;
    await lease.assure();
    const second = await version();
    expect(second).not.toBe(first);
    house.pass(40_000);
    await lease.assure();
    expect(await version()).not.toBe(second);
    house.pass(40_000);
    await takeLease({ ...needs(2), self: process(2, 'boot-2'), forMs: 60_000 });
    await expect(lease.assure()).rejects.toSatisfy((error) => isFault(error, 'conflict'));
  });
});
