import { beforeEach, describe, expect, it } from 'vitest';
import { type MemoryHouse, memoryHouse } from '../../../test/support/memory-house.ts';
import type { Task } from '../../domain/task/task.ts';
import { TRUST_LEVELS } from '../../domain/work/trust.ts';
import { TRUST } from '../../domain/work/trust-table.ts';
import { tasks } from '../../store/records/tasks.ts';

const sandbox: { problem?: string } = {};
let house: MemoryHouse;

beforeEach(async () => {
  delete sandbox.problem;
  house = memoryHouse({ sandbox });
  await house.call('project.add', { path: '/repo', name: 'shop' });
  await house.call('project.add', { path: '/plain', name: 'papers', plain: true });
});

const create = (more: object) => house.call('task.create', { prompt: 'x', ...more });

/** As an older Fleet wrote it. */
async function rewrite(id: string, change: Partial<Task>): Promise<void> {
  const seen = await tasks.get(house.store, id);
  if (!seen) throw new Error(`no task ${id}`);
  await house.store.commit([tasks.put({ ...seen.body, ...change }, seen.version)]);
}

describe('the level of trust of a task', () => {
  it('follows from what it asks for, and is said wherever the task is shown [RUN-16]', async () => {
    expect(await create({ project: 'shop' })).toMatchObject({ trust: 'own', isolation: 'worktree' });
    expect(await create({ project: 'shop', isolation: 'clone' })).toMatchObject({ trust: 'apart' });
    const { id } = await create({ project: 'shop', sandbox: true });
    expect(await house.call('task.show', { id })).toMatchObject({ trust: 'sandboxed', isolation: 'clone' });
    expect((await house.call('task.list', {})).items.map(({ trust }) => trust)).toEqual(['sandboxed', 'apart', 'own']);
    for (const level of TRUST_LEVELS) for (const words of Object.values(TRUST[level])) expect(words).not.toBe('');
  });

  it('is a private clone for a sandbox, whatever its project or the settings say [RUN-16]', async () => {
    for (const isolation of ['worktree', 'in_place'] as const) {
      await house.call('project.set', { project: 'shop', isolation });
      expect(await create({ project: 'shop', sandbox: true })).toMatchObject({ isolation: 'clone' });
    }
    expect(await create({ project: 'papers', sandbox: true })).toMatchObject({ isolation: 'in_place', trust: 'sandboxed' });
  });

  it('is refused where the task itself asks for a sandbox and for a place that shares a git directory [RUN-16] [T12]', async () => {
    for (const isolation of ['worktree', 'in_place'] as const) {
      const why = { code: 'invalid', message: expect.stringContaining('private clone of shop') };
      await expect(create({ project: 'shop', sandbox: true, isolation })).rejects.toMatchObject(why);
      const { id } = await create({ project: 'shop' });
      await expect(house.call('task.edit', { id, sandbox: true, isolation })).rejects.toMatchObject(why);
      await house.call('task.edit', { id, sandbox: true });
      await expect(house.call('task.edit', { id, isolation })).rejects.toMatchObject(why);
    }
  });

  it('is refused in a directory of a repository, which the agent could change from there [RUN-16] [T12]', async () => {
    house.places.set('/other/sub', { kind: 'directory', path: '/other/sub' });
    house.places.set('/other', { kind: 'repository', path: '/other', branch: 'main', hasCommit: true });
    for (const directory of ['/other', '/other/sub'])
      await expect(create({ directory, sandbox: true })).rejects.toMatchObject({
        code: 'invalid',
        message: expect.stringContaining('fleet project add /other'),
      });
    expect(await create({ directory: '/other/sub' })).toMatchObject({ trust: 'own' });
    house.places.set('/wide', { kind: 'directory', path: '/wide' });
    house.places.set('/wide/app', { kind: 'repository', path: '/wide/app', branch: 'main', hasCommit: true });
    await expect(create({ directory: '/wide', sandbox: true })).rejects.toThrow('holds the repository /wide/app');
    // A plain project whose directory has become part of a repository since.
    house.places.set('/plain', { kind: 'repository', path: '/plain', branch: 'main', hasCommit: true });
    await expect(create({ project: 'papers', sandbox: true })).rejects.toMatchObject({ code: 'invalid' });
  });

  it('says nothing of a clone where there is no repository to clone', async () => {
    for (const place of [{ project: 'papers' }, { directory: '/plain' }])
      await expect(create({ ...place, isolation: 'clone' })).rejects.toThrow('needs a repository');
  });

  it('changes with an edit: a task in a sandbox moves to a private clone, and stays in one afterwards', async () => {
    const { id } = await create({ project: 'shop' });
    expect(await house.call('task.edit', { id, sandbox: true })).toMatchObject({ trust: 'sandboxed', isolation: 'clone' });
    expect(await house.call('task.edit', { id, clear: ['isolation'] })).toMatchObject({ isolation: 'clone' });
    expect(await house.call('task.edit', { id, clear: ['sandbox'] })).toMatchObject({ trust: 'apart', isolation: 'clone' });
    expect(await house.call('task.edit', { id, isolation: 'worktree' })).toMatchObject({ trust: 'own' });
  });

  it('of a task of before there were levels is put right by the next edit of where it works', async () => {
    const { id } = await create({ project: 'shop', sandbox: true });
    await rewrite(id, { isolation: 'worktree' });
    expect(await house.call('task.show', { id })).toMatchObject({ trust: 'sandboxed' });
    expect(await house.call('task.edit', { id, sandbox: true })).toMatchObject({ isolation: 'clone' });
  });
});

describe('a sandbox that cannot be made here', () => {
  it('is refused when the task is handed in, with what to do about it, and not when it would start [RUN-16]', async () => {
    const { id } = await create({ project: 'shop' });
    sandbox.problem = 'no sandbox can be made here: bubblewrap was not found; try: apt-get install bubblewrap';
    const why = { code: 'unavailable', message: `it asks for a sandbox, and ${sandbox.problem}` };
    await expect(create({ project: 'shop', sandbox: true })).rejects.toMatchObject(why);
    await expect(create({ directory: '/plain', sandbox: true, draft: true })).rejects.toMatchObject(why);
    await expect(house.call('task.edit', { id, sandbox: true })).rejects.toMatchObject(why);
    expect(await house.call('task.edit', { id, title: 'other' })).toMatchObject({ trust: 'own' });
    expect((await house.call('task.list', {})).items).toHaveLength(1);
  });

  it('keeps nobody from changing what else such a task asks for, or from taking it out of the sandbox', async () => {
    const { id } = await create({ project: 'shop', sandbox: true });
    sandbox.problem = 'no sandbox can be made here';
    expect(await house.call('task.edit', { id, priority: 3 })).toMatchObject({ priority: 3, trust: 'sandboxed' });
    expect(await house.call('task.show', { id })).toMatchObject({
      warnings: [expect.stringContaining('no sandbox can be made')],
    });
    expect(await house.call('task.edit', { id, sandbox: false })).toMatchObject({ trust: 'apart' });
  });
});
