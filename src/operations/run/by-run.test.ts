import { describe, expect, it } from 'vitest';
import { withRuns } from '../../../test/support/run-house.ts';
import { refused } from '../../../test/support/shop.ts';
import { reports } from '../../store/records/findings.ts';
import { tasks } from '../../store/records/tasks.ts';

describe('the context of a run', () => {
  it('holds its task, its place, what it builds on and what was found out before', async () => {
    const house = await withRuns();
    const first = await house.create('lay the ground', { team: 'web' });
    const earlier = await house.begin(first.id);
    await earlier.call('report.submit', { status: 'succeeded', summary: 'the ground is laid', nextSteps: ['build'] });
    const task = await house.create('build on it', { after: [first.id], acceptance: 'it stands', team: 'web', draft: true });
    await tasks.get(house.store, first.id).then(async (seen) => {
      if (!seen) throw new Error('gone');
      const done = { ...seen.body, phase: { state: 'done', at: house.now() } as const };
      await house.store.commit([tasks.put(done, seen.version)]);
    });
    await house.call('task.dispatch', { id: task.id });
    const before = await house.begin(task.id);
    await before.call('question.ask', { text: 'How high?' });
    await house.end(before.runId, 'blocked');
    await tasks.get(house.store, task.id).then(async (seen) => {
      if (!seen) throw new Error('gone');
      await house.store.commit([tasks.put({ ...seen.body, phase: { state: 'queued', since: house.now() } }, seen.version)]);
    });
    const { call, runId } = await house.begin(task.id, { attempt: 2 });
    const context = await call('run.context', {});
    expect(context).toMatchObject({
      runId,
      attempt: 2,
      team: 'web',
      task: { id: task.id, prompt: 'build on it', acceptance: 'it stands', depthLeft: 2, partsLeft: 100 },
      project: { name: 'shop' },
      notes: `/home/tasks/${task.id}/artifacts`,
      dependencies: [{ taskId: first.id, state: 'done', report: { summary: 'the ground is laid', nextSteps: ['build'] } }],
      recent: [{ taskId: first.id, report: { summary: 'the ground is laid' } }],
      earlier: [{ runId: before.runId, outcome: 'blocked', detail: 'as it was told' }],
      questions: [{ text: 'How high?', state: 'pending' }],
    });
    // What it is told of is not its own: it cannot open it.
    expect((await refused(call('task.show', { id: first.id }))).code).toBe('not_found');
    expect((await refused(call('run.context', { id: earlier.runId }))).code).toBe('not_found');
  });

  it('holds no secret of another agent, and neither does what is kept of its report', async () => {
    const house = await withRuns();
    const key = `ghp_${'a1B2'.repeat(9)}`;
    const first = await house.create('talks');
    const talking = await house.begin(first.id);
    const tests = [{ command: `curl ${key}`, status: 'passed' }];
    const report = { status: 'succeeded' as const, summary: `I used ${key}`, nextSteps: [`use ${key}`], tests };
    expect(JSON.stringify(await talking.call('report.submit', report))).not.toContain(key);
    const row = await reports.get(house.store, talking.runId);
    if (!row) throw new Error('gone');
    expect(JSON.stringify(row.body)).not.toContain(key);
    // One of an older version was kept as it came.
    await house.store.commit([reports.put({ ...row.body, summary: `I used ${key}` }, row.version)]);
    const done = await tasks.get(house.store, first.id);
    if (!done) throw new Error('gone');
    await house.store.commit([tasks.put({ ...done.body, phase: { state: 'done', at: house.now() } }, done.version)]);
    const { call } = await house.begin((await house.create('listens', { after: [first.id] })).id);
    const { dependencies, recent } = await call('run.context', {});
    for (const told of [dependencies, recent])
      expect(told).toMatchObject([{ taskId: first.id, report: { summary: 'I used [redacted]' } }]);
  });

  it('leaves out what belongs to another team', async () => {
    const house = await withRuns();
    const secret = await house.create('of others', { team: 'red' });
    await house.call('task.cancel', { id: secret.id });
    const { call } = await house.begin((await house.create('mine', { team: 'blue' })).id);
    expect((await call('run.context', {})).recent).toEqual([]);
  });

  it('tells a part what it is a part of', async () => {
    const house = await withRuns();
    const whole = await house.begin((await house.create('all of it')).id);
    const part = await whole.call('task.create', { prompt: 'a part of it' });
    const { call } = await house.begin(part.id);
    const context = await call('run.context', {});
    expect(context.parent).toMatchObject({ title: 'all of it', prompt: 'all of it' });
    expect(context.task.depthLeft).toBe(1);
    expect((await refused(call('task.show', { id: part.parentId ?? '' }))).code).toBe('not_found');
  });
});

describe('a report that a run hands in', () => {
  it('is the report of its own run, and the latest counts', async () => {
    const house = await withRuns();
    const task = await house.create('x');
    const { call, runId } = await house.begin(task.id);
    await call('report.submit', { status: 'blocked', summary: 'stuck' });
    const report = await call('report.submit', { status: 'succeeded', summary: 'went on', files: ['a.ts'], tested: ['a'] });
    expect(report).toMatchObject({ runId, taskId: task.id, channel: 'mcp', status: 'succeeded', claimedFiles: ['a.ts'] });
    expect((await call('task.report', { id: task.id })).reports.map(({ summary }) => summary)).toEqual(['went on']);
    await house.end(runId);
    expect((await refused(call('report.submit', { status: 'failed', summary: 'late' }))).code).toBe('conflict');
    expect((await refused(house.call('report.submit', { status: 'succeeded', summary: 'x' }))).code).toBe('forbidden');
  });
});

describe('the inbox of a task', () => {
  it('gives each message to its agent once, and only shows them to everybody else [RUN-10]', async () => {
    const house = await withRuns();
    const task = await house.create('x');
    const { call } = await house.begin(task.id);
    await house.call('task.send', { id: task.id, text: 'mind the gap' });
    await house.call('task.send', { id: task.id, text: 'and the step' });
    expect((await house.call('inbox.read', { task: task.id })).items).toHaveLength(2);
    expect((await call('inbox.read', { peek: true, after: 1 })).items.map(({ text }) => text)).toEqual(['and the step']);
    const read = await call('inbox.read', {});
    expect(read.items.map(({ text, state, by }) => `${by}: ${text}, ${state}`)).toEqual([
      'you: mind the gap, heard',
      'you: and the step, heard',
    ]);
    expect((await call('inbox.read', {})).items).toEqual([]);
    expect((await house.call('task.show', { id: task.id })).messages.map(({ state }) => state)).toEqual(['heard', 'heard']);
  });

  it('is heard by whoever has claimed the task, too', async () => {
    const house = await withRuns();
    const task = await house.create('x');
    const ada = house.as('ada', 'worker');
    await ada('task.claim', { id: task.id });
    await house.call('task.send', { id: task.id, text: 'mind the gap' });
    expect((await ada('inbox.read', { task: task.id })).items).toHaveLength(1);
    expect((await ada('inbox.read', { task: task.id })).items).toEqual([]);
    expect((await refused(house.as('eve', 'worker')('inbox.read', { task: task.id }))).code).toBe('not_found');
    expect((await refused(house.call('inbox.read', {}))).code).toBe('invalid');
  });
});

describe('a question of a run', () => {
  it('is asked once however often, and heard once it has been answered', async () => {
    const house = await withRuns();
    const task = await house.create('x');
    const { call, runId } = await house.begin(task.id);
    const asked = await call('question.ask', { text: 'Which colour?', option: ['red', 'blue'] });
    expect(asked).toMatchObject({ taskId: task.id, runId, state: 'pending' });
    const both = await Promise.all([
      call('question.ask', { text: 'Which  colour?\n' }),
      call('question.ask', { text: 'How big?' }),
      call('question.ask', { text: 'How big?' }),
    ]);
    expect(new Set(both.map(({ id }) => id)).size).toBe(2);
    expect(both[0]?.id).toBe(asked.id);
    await house.call('question.answer', { id: asked.id, text: '2' });
    expect((await call('question.show', { id: asked.id })).answer?.text).toBe('blue');
    const [message] = (await call('task.show', { id: task.id })).messages;
    expect(message).toMatchObject({ state: 'waiting', answers: asked.id, by: 'you' });
    expect(message?.text).toBe('You asked: Which colour?\nThe answer is: blue');
    expect((await call('question.ask', { text: 'Which colour?' })).answer?.text).toBe('blue');
    expect((await call('inbox.read', {})).items).toEqual([]);
  });

  it('wakes a task that stands still for it where its agent stopped, but not while another is open', async () => {
    const house = await withRuns();
    const task = await house.create('x');
    const { call, runId } = await house.begin(task.id);
    const [first, second] = [await call('question.ask', { text: 'One?' }), await call('question.ask', { text: 'Two?' })];
    await house.end(runId, 'blocked');
    const seen = await tasks.get(house.store, task.id);
    if (!seen) throw new Error('gone');
    const block = { cause: 'question', who: 'you', what: 'it asks: One?', questionId: first.id } as const;
    const blocked = { ...seen.body, phase: { state: 'blocked', since: house.now(), block } as const };
    await house.store.commit([tasks.put(blocked, seen.version)]);
    await house.call('question.answer', { id: first.id, text: 'yes' });
    expect((await house.call('task.show', { id: task.id })).phase).toMatchObject({
      state: 'blocked',
      block: { questionId: second.id, what: 'it asks: Two?' },
    });
    await house.call('question.answer', { id: second.id, text: 'no' });
    const freed = await house.call('task.show', { id: task.id });
    expect(freed).toMatchObject({ phase: { state: 'queued' }, continues: runId });
    expect(freed.messages.map(({ text }) => text.split('\n')[1])).toEqual(['The answer is: yes', 'The answer is: no']);
  });

  it('is withdrawn with its task, and there are never too many', async () => {
    const house = await withRuns();
    const [one, two] = [await house.create('x'), await house.create('y')];
    const { call } = await house.begin(one.id);
    for (let n = 0; n < 20; n += 1) await call('question.ask', { text: `Question ${n}?` });
    expect((await refused(call('question.ask', { text: 'One more?' }))).code).toBe('limit');
    await house.call('question.ask', { text: 'About y?', task: two.id });
    await house.call('task.cancel', { id: two.id });
    expect((await house.call('question.list', { task: two.id, all: true })).items.map(({ state }) => state)).toEqual([
      'withdrawn',
    ]);
    await house.call('question.list', { limit: 100 }).then(({ items }) => expect(items).toHaveLength(20));
  });
});
