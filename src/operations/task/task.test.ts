import { describe, expect, it } from 'vitest';
import { refused, withProject } from '../../../test/support/shop.ts';
import { LIMITS } from '../../domain/limits.ts';

describe('a task', () => {
  it('remembers everything that was said about it [TASK-02]', async () => {
    const { call } = await withProject();
    const wishes = {
      title: 'Login',
      acceptance: 'users can sign in',
      baseRef: 'develop',
      targetBranch: 'main',
      priority: 2,
      kind: 'fix',
      expectsChanges: true,
      model: 'gpt 5 (high)',
      effort: 'high',
      preset: 'review',
      systemPrompt: 'be brief',
      contextMode: 'on',
      sandbox: true,
      maxTurns: 10,
      maxBudgetUsd: 2.5,
      timeoutSeconds: 600,
      maxAttempts: 4,
      integration: 'none',
      isolation: 'clone',
      assignee: 'ann',
      team: 'web',
      metadata: { ticket: 12 },
    } as const;
    const { id } = await call('task.create', {
      project: 'shop',
      prompt: 'build the login',
      ...wishes,
      tag: ['ui', 'auth'],
      executor: ['codex', 'claude'],
      tool: ['Read'],
      extraArg: ['--fast'],
    });
    expect(await call('task.show', { id })).toMatchObject({
      ...wishes,
      prompt: 'build the login',
      project: 'shop',
      tags: ['ui', 'auth'],
      executors: ['codex', 'claude'],
      tools: ['Read'],
      extraArgs: ['--fast'],
    });
  });

  it.each([
    ['implement', true],
    ['fix', true],
    ['review', false],
    ['explore', false],
  ] as const)('of kind %s expects changes: %s [TASK-02]', async (kind, expected) => {
    const { create } = await withProject();
    expect((await create('x', { kind })).expectsChanges).toBe(expected);
  });

  it('with a prompt of a megabyte is kept whole, one byte more is refused', async () => {
    const { call, create } = await withProject();
    const prompt = 'é'.repeat(LIMITS.promptBytes.value / 2);
    const { id } = await create(prompt);
    expect((await call('task.show', { id })).prompt).toBe(prompt);
    const [listed] = (await call('task.list', {})).items;
    expect(listed).toMatchObject({ promptIsWhole: false, promptBytes: LIMITS.promptBytes.value });
    expect((await refused(create(`${prompt}x`))).message).toContain('1048577 bytes');
  });

  it.each([
    [{ prompt: '' }, 'empty'],
    [{ prompt: ' \n ' }, 'empty'],
    [{ prompt: 'a\0b' }, 'NUL'],
    [{ prompt: '\ud800' }, 'Unicode'],
    [{ prompt: 'x', title: 'a\nb' }, 'line'],
    [{ prompt: 'x', priority: 10 }, '9'],
    [{ prompt: 'x', executor: ['nobody'] }, 'known are claude'],
    [{ prompt: 'x', project: 'nowhere' }, 'known are shop'],
    [{ prompt: 'x', after: ['task_00000000000000000000000000'] }, 'no task'],
    [{ prompt: 'x', baseRef: '--upload-pack=x' }, 'branch'],
    [{ prompt: 'x', surprise: 1 }, 'surprise'],
    [JSON.parse('{"prompt":"x","__proto__":{"admin":true},"constructor":1}'), 'constructor'],
  ])('refuses %j and leaves nothing behind', async (input, words) => {
    const { call } = await withProject();
    expect((await refused(call('task.create', { project: 'shop', ...input }))).message).toContain(words);
    expect((await call('task.list', {})).items).toEqual([]);
  });

  it('in a directory that belongs to no project works in place and has no project [TASK-06]', async () => {
    const { call, places } = await withProject();
    places.set('/repo/src', { kind: 'repository', path: '/repo', branch: 'main', hasCommit: true });
    expect(await call('task.create', { directory: '/plain', prompt: 'x' })).toMatchObject({ directory: '/plain' });
    expect((await call('task.create', { directory: '/repo', prompt: 'x' })).project).toBe('shop');
  });

  it('can be edited, and tells who would overwrite a change they did not see [TASK-07]', async () => {
    const { call, create } = await withProject();
    const { id, seq } = await create('x', { model: 'm', after: [] });
    const edited = await call('task.edit', { id, title: 'better', priority: 1, clear: ['model'], ifSeq: seq });
    expect(edited).toMatchObject({ title: 'better', priority: 1, seq: seq + 1 });
    expect(edited.model).toBeUndefined();
    expect((await refused(call('task.edit', { id, title: 'worse', ifSeq: seq }))).code).toBe('conflict');
    expect((await refused(call('task.edit', { id }))).message).toContain('nothing to change');
    const { items } = await call('task.events', { id });
    expect(items.map(({ n, by, what, to }) => ({ n, by, what, to }))).toEqual([
      { n: 1, by: 'you', what: 'created', to: 'queued' },
      { n: 2, by: 'you', what: 'edited', to: undefined },
    ]);
  });

  it('is found by the end of its id, if only it ends so', async () => {
    const { call, create } = await withProject();
    const { id } = await create('x');
    expect((await call('task.show', { id: id.slice(-8).toUpperCase() })).id).toBe(id);
    expect((await refused(call('task.show', { id: 'zzzz' }))).code).toBe('not_found');
    expect((await refused(call('task.show', { id: id.slice(-2) }))).message).toContain('4 characters');
  });

  it('is deleted with its history, unless somebody needs it', async () => {
    const { call, create } = await withProject();
    const first = await create('x');
    const second = await create('y', { after: [first.id] });
    expect((await refused(call('task.delete', { id: first.id }))).message).toContain(second.id);
    await call('task.delete', { id: second.id });
    await call('task.delete', { id: first.id });
    expect((await call('task.list', {})).items).toEqual([]);
  });

  it('waits as a draft until it is dispatched', async () => {
    const { call, create } = await withProject();
    const { id, phase } = await create('x', { draft: true });
    expect(phase.state).toBe('draft');
    expect((await call('task.dispatch', { id })).phase.state).toBe('queued');
    expect((await refused(call('task.dispatch', { id }))).message).toContain('queued');
  });

  it('takes remarks', async () => {
    const { call, create } = await withProject();
    const { id } = await create('x');
    await call('task.comment', { id, text: 'mind the tests\nplease' });
    expect((await call('task.events', { id, after: 1 })).items[0]).toMatchObject({
      what: 'comment',
      why: 'mind the tests\nplease',
      by: 'you',
    });
  });
});

describe('dependencies', () => {
  it('hold a task until they are done; a cycle is refused with its path [TASK-03]', async () => {
    const { call, create } = await withProject();
    const a = await create('a');
    const b = await create('b', { after: [a.id] });
    const c = await create('c', { after: [b.id] });
    expect(b.phase).toMatchObject({ state: 'waiting', on: [a.id] });
    const { message } = await refused(call('task.edit', { id: a.id, after: [c.id] }));
    expect(message).toContain(`${a.id} → ${c.id} → ${b.id} → ${a.id}`);
    expect((await refused(call('task.edit', { id: a.id, after: [a.id] }))).message).toContain(`${a.id} → ${a.id}`);
    expect((await call('task.show', { id: a.id })).dependsOn).toEqual([]);
  });

  it('cannot be closed into a cycle by two edits at once [TASK-03]', async () => {
    const { call, create } = await withProject();
    const tasks = await Promise.all(Array.from({ length: 6 }, (_, n) => create(`t${n}`, { draft: true })));
    const ring = tasks.map(({ id }, n) => call('task.edit', { id, after: [tasks[(n + 1) % 6]?.id ?? ''] }));
    const outcomes = await Promise.allSettled(ring);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });
});

describe('sub-tasks', () => {
  it('stop at the depth and number that are allowed', async () => {
    const { create, settings } = await withProject();
    const top = await create('top');
    const part = await create('part', { parent: top.id });
    const leaf = await create('leaf', { parent: part.id });
    expect(leaf.depth).toBe(2);
    expect((await refused(create('too deep', { parent: leaf.id }))).code).toBe('limit');
    settings.max_depth = 3;
    expect((await create('deeper', { parent: leaf.id })).depth).toBe(3);
  });
});
