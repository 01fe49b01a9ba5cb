import { describe, expect, it } from 'vitest';
import { gitGround } from '../fixtures/git-ground.ts';
import { dropKeptBranch } from './restored.ts';

describe('the branch of a task', () => {
  it('goes only where what is kept holds all of it, and never under somebody who has it checked out', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository('repo', { 'a.txt': 'a\n' });
    const first = await ground.git(repo, 'rev-parse', 'main');
    const tip = await ground.commit(repo, first, { 'b.txt': 'b\n' });
    const drop = () => dropKeptBranch(repo, { branch: 'x/task', below: 'refs/fleet/kept/task_1' }, ground.env);
    const there = () => ground.git(repo, 'branch', '--list', '--format=%(objectname)', 'x/task');
    await ground.git(repo, 'branch', 'x/task', tip);
    // Kept of another task, and an older state of this one: neither holds it.
    await ground.git(repo, 'update-ref', 'refs/fleet/kept/task_12/run_1', tip);
    await ground.git(repo, 'update-ref', 'refs/fleet/kept/task_1/run_1', first);
    expect([await drop(), await there()]).toEqual([false, tip]);
    await ground.git(repo, 'update-ref', 'refs/fleet/kept/task_1/run_2', tip);
    await ground.git(repo, 'checkout', '-q', 'x/task');
    expect([await drop(), await there()]).toEqual([false, tip]);
    await ground.git(repo, 'checkout', '-q', 'main');
    expect([await drop(), await there()]).toEqual([true, '']);
    expect(await drop()).toBe(true);
  });
});
