import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { withRuns } from '../../../test/support/run-house.ts';
import type { Call } from '../../contract/call.ts';
import type { Standing } from '../../domain/authority.ts';
import { mcpServer } from './server.ts';
import type { ToolSetName } from './tool-sets.ts';

type House = Awaited<ReturnType<typeof withRuns>>;

/** A real client on the other end; it holds every answer against the schema the tool has declared. */
async function clientOf(house: House, { call, standing, set }: { call: Call; standing: Standing; set: ToolSetName }) {
  const elapsed = () => performance.now();
  const needs = { version: '1', now: () => Date.parse(house.now()), elapsed, id: () => 'x', log: () => undefined };
  const [here, there] = InMemoryTransport.createLinkedPair();
  await mcpServer({ call, standing, set }, needs).connect(there);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(here);
  const { tools } = await client.listTools();
  const ask = async (name: string, given: object = {}) => client.callTool({ name, arguments: { ...given } });
  const told = async <Data = Record<string, unknown>>(name: string, given: object = {}): Promise<Data> => {
    const { isError, content, structuredContent } = await ask(name, given);
    if (isError) throw new Error(JSON.stringify(content));
    return structuredContent as Data;
  };
  return { client, tools, ask, told };
}

interface Made {
  readonly task: { readonly id: string; readonly state: string };
}

const lead = async (house: House, set: ToolSetName = 'orchestrate') =>
  clientOf(house, { call: house.as('lead', 'admin'), standing: 'admin', set });

describe('the tools to orchestrate', () => {
  it('make, find, show, steer and stop tasks, and answer as they said they would', async () => {
    const house = await withRuns();
    const { told, ask } = await lead(house);
    const { task } = await told<Made>('task_create', { prompt: 'do it', project: 'shop', tags: ['a'], executor: 'scripted' });
    expect(task.state).toBe('queued');
    expect(await told('task_list', { tag: 'a' })).toMatchObject({ tasks: [{ id: task.id }] });
    expect(await told('task_show', { id: task.id })).toMatchObject({
      prompt: 'do it',
      trust: 'own',
      history: [{ n: 1, what: 'created' }],
    });
    expect(await told('task_collect', { id: task.id })).toMatchObject({ task: { id: task.id }, evidence: [] });
    expect(await told('fleet_status')).toMatchObject({ counts: { queued: 1 }, projects: 1 });
    expect(await told('project_list')).toMatchObject({ projects: [{ name: 'shop' }] });
    expect(await told<Made>('task_cancel', { id: task.id, why: 'no more' })).toMatchObject({ task: { state: 'canceled' } });
    expect(await told<Made>('task_retry', { id: task.id })).toMatchObject({ task: { state: 'queued' } });
    expect(await ask('task_merge', { id: task.id })).toMatchObject({
      isError: true,
      _meta: { 'fleet/fault': { code: 'conflict' } },
    });
    expect(await told('question_list')).toEqual({ questions: [] });
  });

  it('split a job by keys, and say which part was refused', async () => {
    const house = await withRuns();
    const { told, ask } = await lead(house);
    const parts = (second: object) => [
      { key: 'one', prompt: 'first' },
      { key: 'two', prompt: 'second', ...second },
    ];
    const made = await told<{ tasks: { key: string; task: { id: string; state: string } }[] }>('tasks_create', {
      project: 'shop',
      tasks: parts({ after: ['one'] }),
    });
    expect(made.tasks.map(({ key, task }) => [key, task.state])).toEqual([
      ['one', 'queued'],
      ['two', 'waiting'],
    ]);
    expect(await told('tasks_create', { project: 'shop', tasks: parts({ executor: 'nobody' }) })).toMatchObject({
      tasks: [{ key: 'one' }],
      refused: { key: 'two', code: 'invalid' },
    });
    for (const wrong of [parts({ after: ['two'] }), parts({ key: 'one' })])
      expect(await ask('tasks_create', { project: 'shop', tasks: wrong })).toMatchObject({ isError: true });
  });

  it('wait no longer than they are asked to, with progress that grows, and not for what never moves', async () => {
    const house = await withRuns();
    const { told, client } = await lead(house);
    const { task } = await told<Made>('task_create', { prompt: 'x', directory: '/plain', executor: 'scripted' });
    const progress: number[] = [];
    const waited = await client.callTool(
      { name: 'task_wait', arguments: { ids: [task.id], timeoutSeconds: 1 } },
      { onprogress: (one) => void progress.push(one.progress) },
    );
    expect(waited.structuredContent).toMatchObject({ state: 'pending', open: [task.id], done: 0, total: 1 });
    expect(progress.length).toBeGreaterThan(0);
    expect(new Set(progress).size).toBe(progress.length);
    const { task: draft } = await told<Made>('task_create', { prompt: 'x', project: 'shop', draft: true });
    expect(await told('task_wait', { ids: [draft.id], timeoutSeconds: 600 })).toMatchObject({ state: 'stuck' });
  });

  it('stop waiting when the client cancels', async () => {
    const house = await withRuns();
    const looked: string[] = [];
    const counted = ((...of: Parameters<Call>) => {
      if (of[0] === 'task.wait') looked.push((of[1] as { ids: string[] }).ids[0] ?? '');
      return house.as('lead', 'admin')(...of);
    }) as Call;
    const { told, client } = await clientOf(house, { call: counted, standing: 'admin', set: 'orchestrate' });
    const { task } = await told<Made>('task_create', { prompt: 'x', project: 'shop' });
    const { task: other } = await told<Made>('task_create', { prompt: 'y', project: 'shop' });
    const stop = new AbortController();
    const waiting = client.callTool(
      { name: 'task_wait', arguments: { ids: [task.id], timeoutSeconds: 600 } },
      { signal: stop.signal, onprogress: () => stop.abort() },
    );
    await expect(waiting).rejects.toThrow();
    const before = looked.filter((id) => id === task.id).length;
    // While another waits for its whole time, one that still waited would look too.
    await told('task_wait', { ids: [other.id], timeoutSeconds: 1 });
    expect(looked.filter((id) => id === other.id).length).toBeGreaterThan(2);
    expect(looked.filter((id) => id === task.id).length).toBeLessThanOrEqual(before + 1);
  });
});

describe('the tools of a team', () => {
  it('take work, speak about it and hand it in', async () => {
    const house = await withRuns();
    const made = await house.call('task.create', { prompt: 'x', project: 'shop', integration: 'none', expectsChanges: false });
    const { told, tools } = await clientOf(house, { call: house.as('ann', 'worker'), standing: 'worker', set: 'team' });
    expect(tools.map(({ name }) => name)).toContain('inbox_read');
    expect(await told('task_ready')).toMatchObject({ tasks: [{ id: made.id }] });
    expect(await told('task_claim', { id: made.id })).toMatchObject({ task: { state: 'running' } });
    await house.call('task.send', { id: made.id, text: 'hurry' }).catch(() => undefined);
    expect(await told('task_comment', { id: made.id, text: 'half way' })).toMatchObject({ n: expect.any(Number) });
    expect(await told('inbox_read', { task: made.id })).toHaveProperty('messages');
    expect(await told('question_ask', { text: 'red or blue?', options: ['red', 'blue'], task: made.id })).toMatchObject({
      question: { state: 'pending', options: ['red', 'blue'] },
    });
    expect(await told('task_complete', { id: made.id, summary: 'there' })).toHaveProperty('task');
  });
});

describe('the tools of an owner', () => {
  it('answer as the operations do', async () => {
    const { told } = await lead(await withRuns(), 'admin');
    expect(await told('token_list')).toEqual({ items: [] });
    expect(await told('config_show')).toHaveProperty('items');
    expect(await told('workspace_list')).toEqual({ items: [] });
  });
});

describe('what a task has made', () => {
  it('is told by its newest report, whatever is read besides', async () => {
    const house = await withRuns();
    const { told, ask } = await lead(house);
    const made = await house.call('task.create', { prompt: 'x', project: 'shop' });
    const { call } = await house.begin(made.id);
    await house.handIn(made.id, 'the first attempt');
    await house.handIn(made.id, 'the second attempt');
    for (const include of [undefined, ['report'], ['diff'], ['log'], ['diff', 'log'], []])
      expect(await told('task_collect', { id: made.id, ...(include ? { include } : {}) })).toMatchObject({
        report: { summary: 'the second attempt' },
        evidence: [],
      });
    const { content } = await ask('task_collect', { id: made.id, include: ['diff'] });
    expect(JSON.stringify(content)).toContain('the second attempt');
    const part = await call('task.create', { prompt: 'a part' });
    const run = await clientOf(house, { call, standing: 'run', set: 'run' });
    for (const summary of ['old', 'new']) await house.handIn(part.id, summary);
    expect(await run.told('subtask_status', { id: part.id })).toMatchObject({ report: { summary: 'new' } });
  });
});

describe('the tools of a run', () => {
  it('speak for the task of that run alone', async () => {
    const house = await withRuns();
    const made = await house.call('task.create', { prompt: 'the whole', project: 'shop', title: 'whole' });
    const foreign = await house.call('task.create', { prompt: 'not yours', project: 'shop' });
    const { call } = await house.begin(made.id);
    const { told, ask, tools } = await clientOf(house, { call, standing: 'run', set: 'run' });
    expect(tools.map(({ name }) => name).toSorted()).toEqual([
      'ask_human_question',
      'create_subtask',
      'get_task',
      'list_tasks',
      'past_reports',
      'read_inbox',
      'request_review',
      'submit_report',
      'subtask_status',
      'withdraw_question',
    ]);
    expect(await told('get_task')).toMatchObject({ task: { id: made.id, prompt: 'the whole' } });
    const part = await told<Made & { state: string }>('create_subtask', { prompt: 'a part' });
    expect(part.state).toBe('pending');
    expect((await house.call('task.show', { id: part.task.id })).parentId).toBe(made.id);
    expect(await told('subtask_status', { id: part.task.id })).toMatchObject({ state: 'pending' });
    expect(await ask('subtask_status', { id: foreign.id })).toMatchObject({ isError: true });
    expect(await ask('create_subtask', { prompt: 'x', parent: foreign.id })).toMatchObject({ isError: true });
    expect(await told('submit_report', { status: 'succeeded', summary: 'all there' })).toMatchObject({ status: 'succeeded' });
    expect(await told('past_reports')).toMatchObject({ reports: [{ task: made.id, summary: 'all there' }] });
  });

  it('ask a person once, however often they ask, and hear the answer', async () => {
    const house = await withRuns();
    const made = await house.call('task.create', { prompt: 'x', project: 'shop' });
    const { call } = await house.begin(made.id);
    const { told } = await clientOf(house, { call, standing: 'run', set: 'run' });
    const question = { text: 'which way?', options: ['left', 'right'], waitSeconds: 1 };
    const first = await told<{ state: string; question: { id: string } }>('ask_human_question', question);
    const second = await told<{ state: string; question: { id: string } }>('ask_human_question', question);
    expect([first.state, second.question.id]).toEqual(['pending', first.question.id]);
    await house.call('question.answer', { id: first.question.id, text: '2' });
    expect(await told('ask_human_question', question)).toMatchObject({ state: 'answered', answer: 'right' });
    expect(await told('read_inbox')).toEqual({ messages: [] });
  });
});
