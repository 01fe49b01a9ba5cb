import type { Capacity } from '../../src/domain/hold/hold.ts';
import type { EngineDeps } from '../../src/engine/deps.ts';
import { type HouseOptions, type MemoryHouse, memoryHouse } from './memory-house.ts';

/** A memory house with an engine's needs: every executor can be started, nothing ever is. */
export function engineHouse(
  capacity: Partial<Capacity> = {},
  options: HouseOptions = {},
): MemoryHouse & { readonly needs: EngineDeps } {
  const house = memoryHouse(options);
  const limits: Capacity = { executor: {}, account: {}, project: {}, ...capacity };
  const needs: EngineDeps = {
    store: house.store,
    now: house.now,
    elapsed: () => Date.parse(house.now()),
    ids: house.ids,
    host: 'here',
    hostName: 'here',
    capacity: async () => limits,
    defaults: async () => ({ executor: 'claude', model: 'house model' }),
    startable:
      async () =>
      ({ executor }) =>
        ['claude', 'codex'].includes(executor),
    edits: async () => ({}),
    failover: () => 'off',
    diskShort: async () => options.disk?.short,
    diskFull: async () => options.disk?.full,
    roomHere: async () => 1_000,
  };
  return { ...house, needs };
}
