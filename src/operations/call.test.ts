import { describe, expect, it } from 'vitest';
import { refused, withProject } from '../../test/support/shop.ts';
import { createTask } from '../contract/task.ts';

describe('a keyed command', () => {
  it('is carried out once however often it is sent, and answered the same [TASK-08] [R13]', async () => {
    const { call } = await withProject();
    const send = () => call('task.create', { project: 'shop', prompt: 'x' }, { key: 'order-1' });
    const answers = await Promise.all(Array.from({ length: 100 }, send));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect((await call('task.list', {})).items).toHaveLength(1);
    expect((await refused(call('task.create', { project: 'shop', prompt: 'y' }, { key: 'order-1' }))).message).toContain(
      'key was used',
    );
  });

  it('belongs to its caller', async () => {
    const { as } = await withProject();
    const send = (name: string) => as(name)('task.create', { project: 'shop', prompt: 'x' }, { key: 'k' });
    expect((await send('ann')).id).not.toBe((await send('bob')).id);
  });
});

describe('a role', () => {
  it('may call what is covered by it and nothing else', async () => {
    const { as, create } = await withProject();
    const { id } = await create('x');
    expect((await refused(as('eve', 'monitor')('task.cancel', { id }))).code).toBe('forbidden');
    expect((await refused(as('eve', 'worker')('config.set', { assignments: ['max_concurrent=9'] }))).code).toBe('forbidden');
    expect((await as('lea', 'team-lead')('task.cancel', { id })).phase.state).toBe('canceled');
  });
});

describe('an answer that is not checked when it is given', () => {
  it('is what its schema would have made of it', async () => {
    const { call } = await withProject();
    const first = await call('task.create', { project: 'shop', prompt: 'x' });
    const forms = [
      { project: 'shop', prompt: 'x'.repeat(100_000), title: 'long', draft: true },
      { project: 'shop', prompt: 'x', parent: first.id, after: [first.id], tag: ['a'], tool: ['Bash'], team: 'red' },
      { project: 'shop', prompt: 'x', notBefore: '2090-01-01T00:00:00.000Z', sandbox: true },
      { project: 'shop', prompt: 'x', kind: 'review' as const, metadata: { a: [1, { b: null }] }, extraArg: ['-v'], maxTurns: 3 },
    ];
    const answers = [first, ...(await Promise.all(forms.map((form) => call('task.create', form))))];
    for (const answer of answers) expect(createTask.output.parse(answer)).toStrictEqual(answer);
  });
});
