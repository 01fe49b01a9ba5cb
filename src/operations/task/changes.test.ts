import { describe, expect, it } from 'vitest';
import { memoryHouse } from '../../../test/support/memory-house.ts';
import { refused, withProject } from '../../../test/support/shop.ts';

describe('people', () => {
  it('claim a task, exactly one of them, and finish it [TASK-15]', async () => {
    const { as, create } = await withProject();
    const { id } = await create('x', { expectsChanges: false });
    const names = Array.from({ length: 20 }, (_, n) => `person${n}`);
    const outcomes = await Promise.allSettled(names.map((name) => as(name, 'worker')('task.claim', { id })));
    const winner = names[outcomes.findIndex(({ status }) => status === 'fulfilled')] ?? '';
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const loser = names.find((name) => name !== winner) ?? '';
    expect((await refused(as(loser)('task.complete', { id }))).code).toBe('forbidden');
    expect((await as(winner)('task.complete', { id, summary: 'did it' })).phase.state).toBe('done');
  });

  it('cannot get past the verify command of a project by saying they are finished [TASK-15]', async () => {
    const { call } = memoryHouse();
    await call('project.add', { path: '/repo', name: 'shop', verify: 'npm test' });
    const { id } = await call('task.create', { project: 'shop', prompt: 'x', expectsChanges: false });
    await call('task.claim', { id });
    expect((await call('task.complete', { id })).phase.state).toBe('verifying');
  });

  it('give a task back to the queue, where it keeps no trace of them', async () => {
    const { call, create } = await withProject();
    const { id } = await create('x');
    await call('task.claim', { id, as: 'ann' });
    expect((await call('task.unclaim', { id, as: 'ann' })).phase.state).toBe('queued');
  });
});

describe('a task that expects a change', () => {
  const [before, after] = ['a'.repeat(40), 'b'.repeat(40)];

  async function claimed({ files = 1, wish = {} }: { files?: number; wish?: object } = {}) {
    const tip = { main: before };
    const compared: unknown[] = [];
    const { call } = memoryHouse({
      work: {
        target: async () => ({ branch: 'main', commit: tip.main }),
        commit: async (_project, ref) => (ref === 'mine' ? after : undefined),
        has: async () => true,
        totals: async (_project, span) => {
          compared.push(span);
          return { commits: 1, files, added: 0, removed: 0 };
        },
      },
    });
    await call('project.add', { path: '/repo', name: 'shop', verify: 'npm test' });
    const { id } = await call('task.create', { project: 'shop', prompt: 'x', ...wish });
    await call('task.claim', { id });
    const last = async () => (await call('task.events', { id })).items.at(-1);
    return { call, id, tip, compared, last };
  }

  it('is not finished by its claimant without one, and the refusal says where it was looked for [TASK-15]', async () => {
    const { call, id, tip, compared } = await claimed();
    const { code, message } = await refused(call('task.complete', { id }));
    expect(code).toBe('conflict');
    expect(message).toContain('main in /repo is at aaaaaaaaaaaa, as it was at the claim');
    expect(message).toMatch(/--commit; .*--no-changes/);
    expect((await call('task.show', { id })).phase.state).toBe('running');
    tip.main = after;
    expect((await call('task.complete', { id })).phase.state).toBe('verifying');
    expect(compared).toEqual([{ base: before, tip: after }]);
  });

  it('is not finished by a commit that changes no file', async () => {
    const { call, id, tip } = await claimed({ files: 0 });
    tip.main = after;
    expect((await refused(call('task.complete', { id }))).message).toContain(
      'is at bbbbbbbbbbbb and adds no change to aaaaaaaaaaaa',
    );
  });

  it('is finished without one when its claimant says so, and the history keeps the reason', async () => {
    const { call, id, last } = await claimed();
    expect((await call('task.complete', { id, changes: false, summary: 'it works' })).phase.state).toBe('verifying');
    expect(await last()).toMatchObject({ what: 'verify', why: 'no changes: it works', data: { changes: false } });
  });

  it('is finished by a commit that is named, which is what is proved', async () => {
    const { call, id, last } = await claimed();
    expect((await refused(call('task.complete', { id, commit: 'theirs' }))).message).toContain(
      'no branch or commit theirs in /repo',
    );
    expect((await refused(call('task.complete', { id, commit: 'mine', changes: false }))).code).toBe('invalid');
    expect((await call('task.complete', { id, commit: 'mine' })).phase).toMatchObject({ holder: { commit: after } });
    expect(await last()).toMatchObject({ data: { commit: after, base: before, files: 1 } });
  });

  it('is taken at its word in a plain directory and in place, where nothing can be compared', async () => {
    const { call } = await claimed();
    for (const where of [{ directory: '/plain' }, { project: 'shop', isolation: 'in_place' as const }]) {
      const { id } = await call('task.create', { prompt: 'x', ...where });
      await call('task.claim', { id });
      for (const said of [{ commit: 'mine' }, { changes: true }]) {
        expect((await refused(call('task.complete', { id, ...said }))).message).toContain('is done in place');
      }
      expect((await call('task.complete', { id })).phase.state).not.toBe('running');
    }
  });

  it('may be asked for where the task expects none', async () => {
    const { call, id } = await claimed({ wish: { expectsChanges: false } });
    expect((await refused(call('task.complete', { id, changes: true }))).code).toBe('conflict');
    expect((await call('task.complete', { id })).phase.state).toBe('verifying');
  });
});
