import { describe, expect, it } from 'vitest';
import { memoryHouse } from '../../test/support/memory-house.ts';

describe('the limit of a project', () => {
  it.each(['limit_project.shpo=3', 'limit_project=shpo=3', 'limit_project={"shpo":3}', 'limit_project=shop=2,shpo=3'])(
    'is refused where no project is called so: %s',
    async (assignment) => {
      const { call } = memoryHouse();
      await call('project.add', { path: '/repo', name: 'shop' });
      await expect(call('config.set', { assignments: [assignment] })).rejects.toThrow(
        'nothing was changed: limit_project: there is no project "shpo", so it limits nothing; known are shop',
      );
    },
  );

  it.each(['limit_project.shop=3', 'limit_project=shop=3', 'limit_project.gone=', 'limit_executor.shpo=3'])(
    'is passed on where it has an effect, and where it is taken away: %s',
    async (assignment) => {
      const { call } = memoryHouse();
      await call('project.add', { path: '/repo', name: 'shop' });
      await expect(call('config.set', { assignments: [assignment] })).rejects.toThrow('this house has no files');
    },
  );

  it('that limits nothing, because its project is gone or was never there, is told by the status', async () => {
    const { call, settings } = memoryHouse();
    settings.limit_project = { shop: 2 };
    const problem = 'limit_project: there is no project "shop", so it limits nothing';
    expect((await call('fleet.status', {})).problems).toContain(problem);
    await call('project.add', { path: '/repo', name: 'shop' });
    expect((await call('fleet.status', {})).problems).toEqual([]);
  });
});
