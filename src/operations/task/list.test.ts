import { describe, expect, it } from 'vitest';
import { refused, withProject } from '../../../test/support/shop.ts';

describe('lists', () => {
  it('show the newest first, page by page, each task once', async () => {
    const { call, create } = await withProject();
    const made: string[] = [];
    for (let n = 0; n < 25; n += 1) made.push((await create(`t${n}`, { tag: [n % 2 ? 'odd' : 'even'] })).id);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await call('task.list', { limit: 10, ...(cursor ? { cursor } : {}) });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.cursor;
    } while (cursor);
    expect(seen).toEqual(made.toReversed());
    expect((await call('task.list', { tag: 'odd' })).items).toHaveLength(12);
    expect((await call('task.list', { state: ['done'] })).items).toEqual([]);
    expect((await refused(call('task.list', { cursor: 'nonsense' }))).code).toBe('invalid');
  });

  it('order what is ready by age and priority: a step of priority is ten minutes [TASK-05]', async () => {
    const house = await withProject();
    const slow = await house.create('slow', { priority: 9 });
    house.pass(39 * 60_000);
    const normal = await house.create('normal');
    house.pass(2 * 60_000);
    const urgent = await house.create('urgent', { priority: 5, executor: ['codex'] });
    const { items } = await house.call('task.ready', {});
    expect(items.map(({ id }) => id)).toEqual([normal.id, slow.id, urgent.id]);
  });
});
