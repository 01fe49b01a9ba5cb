import { describe, expect, it } from 'vitest';
import { memoryHouse } from '../../test/support/memory-house.ts';
import type { SettingOrigin } from '../domain/settings.ts';
import { dispatchingOf } from './dispatching.ts';
import type { ExecutorRegistry } from './executor-registry.ts';
import type { CurrentSettings } from './settings/open-settings.ts';

/** Settings of which the executor comes from there. */
function chosenIn(house: ReturnType<typeof memoryHouse>, origin: SettingOrigin) {
  const items = [{ name: 'executor', origin }] as unknown as CurrentSettings['items'];
  const current = () => ({ values: house.settings, items, file: '/home/runtime.toml' }) as CurrentSettings;
  const settings = { current, set: async () => {}, watch: () => {}, reload: async () => {} };
  return dispatchingOf({ store: house.store, settings, diskShort: async () => undefined }, {} as ExecutorRegistry);
}

describe('the effort of a project', () => {
  it('is that of its tasks with its executor or the default one, and not with one that outranks it [TASK-01]', async () => {
    const house = memoryHouse();
    const { id } = await house.call('project.add', { path: '/repo', name: 'shop', effort: 'high' });
    expect(await chosenIn(house, 'file').defaults(id)).toMatchObject({ executor: 'claude', effort: 'high' });
    expect((await chosenIn(house, 'flag').defaults(id)).effort).toBeUndefined();
    await house.call('project.set', { project: 'shop', executor: 'codex' });
    expect(await chosenIn(house, 'file').defaults(id)).toMatchObject({ executor: 'codex', effort: 'high' });
    expect((await chosenIn(house, 'environment').defaults(id)).effort).toBeUndefined();
    expect((await chosenIn(house, 'file').defaults(undefined)).effort).toBeUndefined();
  });
});
