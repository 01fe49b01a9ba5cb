import { expect, vi } from 'vitest';
import { onMain } from '../../../support/work-house.ts';
import { everywhere, levelHouse } from './level-house.ts';

const REPORT = JSON.stringify({ status: 'succeeded', summary: 'went on', done: ['a'], nextSteps: [] });

everywhere('outlives a Fleet that is killed with -9, and reports to the next one [RUN-01] [RUN-16]', async (agent, level) => {
  const scenario = [
    'run echo hello > a.txt; git add a.txt; git commit -qm "add a"',
    'gate',
    'run echo after > b.txt; git add b.txt; git commit -qm "add b"',
    `call submit_report ${REPORT}`,
    'say It is written.',
  ].join('\n');
  await using house = await levelHouse(agent, level, scenario);
  const engine = await house.wake();
  const id = await house.task('Write both.');
  await vi.waitFor(() => expect(house.played.exchanges.length).toBeGreaterThan(1));
  await engine.kill('SIGKILL');
  house.played.release();
  await house.wake();
  const [task] = await house.rested([id], 200);
  expect(house.played.problems).toEqual([]);
  expect(task).toMatchObject({ phase: { state: 'done' }, attempts: 1, trust: level.trust });
  expect((await house.agentRuns(id)).map(({ phase }) => phase.outcome)).toEqual(['succeeded']);
  expect(await house.reports(id)).toMatchObject([{ channel: 'mcp', summary: 'went on' }]);
  expect(await onMain(house, 'b.txt')).toBe('after');
  expect((await house.says('log', '--format=%s', 'main')).split('\n')).toEqual(expect.arrayContaining(['add a', 'add b']));
  expect(await house.processes()).toBe(0);
});

everywhere(
  'whose program is killed goes on with its work, and with its conversation if it has kept it [RUN-09] [RUN-16]',
  async (agent, level) => {
    const scenario = [
      'run echo hello > a.txt; git add a.txt; git commit -qm "add a" && echo made a.txt; true',
      'gate',
      'run echo after > b.txt; git add b.txt; git commit -qm "add b"; true',
      'say It is written.',
    ].join('\n');
    await using house = await levelHouse(agent, level, scenario);
    await house.wake();
    const id = await house.task('Write both.', '--max-attempts', '3');
    await vi.waitFor(() => expect(house.played.exchanges.length).toBeGreaterThan(1));
    await house.killAgent(id);
    for (const _ of [1, 2, 3]) house.played.release();
    expect(await house.rested([id], 300)).toMatchObject([{ phase: { state: 'done' } }]);
    const runs = await house.agentRuns(id);
    expect(runs.map(({ phase }) => phase.outcome)).toEqual(['crashed', 'succeeded']);
    if (agent.cannot['keeps a conversation that was cut off'] === undefined && !agent.losesItsMinute) {
      expect(runs[1]?.watch?.session).toBe(runs[0]?.watch?.session);
      expect(house.lastAsked()).toContain('made a.txt');
    }
    expect(await onMain(house, 'b.txt')).toBe('after');
  },
);
