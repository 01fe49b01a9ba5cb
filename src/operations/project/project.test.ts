import { describe, expect, it } from 'vitest';
import { memoryHouse } from '../../../test/support/memory-house.ts';
import { refused } from '../../../test/support/shop.ts';

describe('a project', () => {
  it('keeps name, path, branch, commands, files, servers and defaults [TASK-01]', async () => {
    const { call } = memoryHouse();
    const wishes = {
      description: 'sells things',
      setup: 'npm ci',
      verify: 'npm test',
      copyFile: ['.env'] as string[],
      mcpServers: { docs: { command: 'docs-server' } },
      executor: 'codex',
      model: 'a model with spaces',
      integration: 'auto',
    } as const;
    await call('project.add', { path: '/repo', name: 'Café shop', ...wishes });
    const { copyFile, ...same } = wishes;
    expect(await call('project.show', { project: 'cafe\u0301 SHOP' })).toMatchObject({
      path: '/repo',
      targetBranch: 'main',
      copyFiles: copyFile,
      ...same,
    });
  });

  it('is refused outside the allowed directories, also through a link [TASK-01]', async () => {
    const { call, settings, places } = memoryHouse();
    settings.allowed_repos = ['/allowed'];
    places.set('/allowed', { kind: 'directory', path: '/allowed' });
    places.set('/allowed/link', { kind: 'repository', path: '/repo', branch: 'main', hasCommit: true });
    places.set('/allowedx', { kind: 'repository', path: '/allowedx', branch: 'main', hasCommit: true });
    places.set('/allowed/in', { kind: 'repository', path: '/allowed/in', branch: 'main', hasCommit: true });
    expect((await refused(call('project.add', { path: '/allowed/link' }))).code).toBe('forbidden');
    expect((await refused(call('project.add', { path: '/allowedx' }))).code).toBe('forbidden');
    expect((await refused(call('task.create', { directory: '/plain', prompt: 'x' }))).code).toBe('forbidden');
    expect((await call('project.add', { path: '/allowed/in' })).name).toBe('in');
  });

  it('says what is wrong with a place that cannot be one', async () => {
    const { call, places } = memoryHouse();
    places.set('/fresh', { kind: 'repository', path: '/fresh', branch: 'main', hasCommit: false });
    expect((await refused(call('project.add', { path: '/nowhere' }))).message).toContain('/nowhere');
    expect((await refused(call('project.add', { path: '/plain' }))).message).toContain('git init');
    expect((await refused(call('project.add', { path: '/fresh' }))).message).toContain('commit something first');
    expect((await call('project.add', { path: '/plain', plain: true })).kind).toBe('directory');
  });

  it('keeps its name to itself, and frees it when it goes', async () => {
    const { call } = memoryHouse();
    await call('project.add', { path: '/repo', name: 'shop' });
    expect((await refused(call('project.add', { path: '/repo', name: 'SHOP' }))).code).toBe('conflict');
    await call('project.set', { project: 'shop', name: 'store', verify: 'make check' });
    expect((await call('project.show', { project: 'store' })).verify).toBe('make check');
    expect((await call('project.set', { project: 'store', clear: ['verify'] })).verify).toBeUndefined();
    await call('project.add', { path: '/repo', name: 'shop' });
    const task = await call('task.create', { project: 'shop', prompt: 'x' });
    expect((await refused(call('project.remove', { project: 'shop' }))).message).toContain(task.id);
    await call('task.cancel', { id: task.id });
    await call('project.remove', { project: 'shop' });
    expect((await refused(call('project.show', { project: 'shop' }))).message).toContain('store');
  });

  it.each(['', ' ', '-x', '$(id)', 'a\nb', 'a\0b', '"q"', "it's", 'a/b', '../x', 'a;b', '\u202egpj', 'x'.repeat(65)])(
    'refuses the name %j and says what it saw',
    async (name) => {
      const { call } = memoryHouse();
      expect((await refused(call('project.add', { path: '/repo', name }))).code).toBe('invalid');
    },
  );

  it('says how its tasks are kept apart and what becomes of their work, unless the task does', async () => {
    const { call, settings } = memoryHouse();
    settings.integration = 'none';
    await call('project.add', { path: '/repo', name: 'shop', isolation: 'in_place' });
    expect(await call('task.create', { project: 'shop', prompt: 'x' })).toMatchObject({
      isolation: 'in_place',
      integration: 'none',
    });
    const own = { isolation: 'clone', integration: 'auto' } as const;
    expect(await call('task.create', { project: 'shop', prompt: 'x', ...own })).toMatchObject(own);
    await call('project.add', { path: '/plain', name: 'notes', plain: true });
    expect((await call('task.create', { project: 'notes', prompt: 'x' })).isolation).toBe('in_place');
  });

  it('promises no pull requests, whoever asks for them', async () => {
    const { call, settings } = memoryHouse();
    const no = { code: 'invalid', message: 'pull requests are not available yet: choose auto, review or none' };
    const pr = { integration: 'pr' } as const;
    expect(await refused(call('project.add', { path: '/repo', name: 'shop', ...pr }))).toMatchObject(no);
    await call('project.add', { path: '/repo', name: 'shop' });
    expect(await refused(call('project.set', { project: 'shop', ...pr }))).toMatchObject(no);
    expect(await refused(call('task.create', { project: 'shop', prompt: 'x', ...pr }))).toMatchObject(no);
    expect(await refused(call('task.create', { directory: '/plain', prompt: 'x', ...pr }))).toMatchObject(no);
    const { id } = await call('task.create', { project: 'shop', prompt: 'x' });
    expect(await refused(call('task.edit', { id, ...pr }))).toMatchObject(no);
    settings.integration = 'pr';
    expect(await refused(call('task.create', { project: 'shop', prompt: 'x' }))).toMatchObject(no);
    expect((await call('task.create', { project: 'shop', prompt: 'x', integration: 'none' })).integration).toBe('none');
  });
});
