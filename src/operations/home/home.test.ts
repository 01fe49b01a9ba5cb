import { describe, expect, it } from 'vitest';
import { memoryHouse } from '../../../test/support/memory-house.ts';
import { PHASE_STATES } from '../../domain/task/task.ts';
import { gauges } from '../../store/records/singles.ts';

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

describe('the counts of the status', () => {
  const zero = Object.fromEntries(PHASE_STATES.map((state) => [state, 0]));

  it('are those of the team of whoever asks, however many tasks there are', async () => {
    const house = memoryHouse({ engine: true });
    const lead = (team: string) => house.as(`lead of ${team}`, 'team-lead', { team });
    await lead('red')('task.create', { directory: '/plain', prompt: 'x' });
    await lead('blue')('task.create', { directory: '/plain', prompt: 'y' });
    // What a running engine keeps of a large fleet.
    const counts = { ...zero, queued: 700 };
    await house.store.commit([gauges.put({ id: 'tasks', at: house.now(), counts }, 'absent')]);
    expect((await house.call('fleet.status', {})).counts.tasks).toMatchObject({ queued: 700 });
    for (const team of ['red', 'blue']) {
      const { counts: seen, heldUp } = await lead(team)('fleet.status', {});
      expect(seen).toEqual({ tasks: { ...zero, queued: 1 }, atLeast: [] });
      expect(heldUp.reduce((sum, { tasks }) => sum + tasks, 0)).toBeLessThanOrEqual(1);
    }
  });
});
