import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { everywhere, levelHouse } from './level-house.ts';

everywhere(
  'is canceled while its shell runs: all it started is gone, and what it made is kept [RUN-13] [RUN-16]',
  async (agent, level) => {
    // A bare sleep is not let through by all of them.
    const lasting = '(setsid tail -f /dev/null &); timeout 3000 tail -f /dev/null; true';
    const scenario = [
      'run echo hello > a.txt; git add a.txt; git commit -qm "add a, in my own words"',
      `run echo left > left.txt; ${lasting}`,
      'say never',
    ].join('\n');
    await using house = await levelHouse(agent, level, scenario);
    await house.wake();
    const id = await house.task('Begin it.');
    const tree = await house.treeOf(id);
    await vi.waitFor(async () => expect(await readFile(join(tree, 'left.txt'), 'utf8')).toBe('left\n'));
    expect(await house.processes()).toBeGreaterThan(1);
    await house.ok(['task', 'cancel', id]);
    const [task] = await house.rested([id], 200);
    expect(task).toMatchObject({ phase: { state: 'canceled' } });
    await vi.waitFor(async () => expect(await house.processes()).toBe(0));
    const ref = task?.work?.kept?.ref ?? 'none';
    expect(await house.says('show', `${ref}:left.txt`)).toBe('left');
    expect((await house.says('log', '--format=%s', ref)).split('\n')).toContain('add a, in my own words');
    expect(await house.says('ls-tree', '--name-only', 'main')).not.toContain('a.txt');
  },
);
