import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { calls, mcpAgent, statusOf, whereIs } from '../support/mcp-house.ts';
import { type WorkHouse, workHouse } from '../support/work-house.ts';

interface Answered {
  readonly name: string;
  readonly isError?: boolean;
  readonly text: string;
  readonly data: Record<string, unknown>;
}

interface Question {
  readonly id: string;
  readonly text: string;
}

const QUIET = ['--kind', 'explore', '--no-expects-changes', '--integration', 'none'];

const createCaller = async (house: WorkHouse, prompt: string): Promise<string> => {
  const made = await house.ok([
    'task',
    'create',
    '--project',
    'shop',
    '--prompt',
    prompt,
    '--executor',
    'caller',
    ...QUIET,
    '--json',
  ]);
  return made.json<{ id: string }>().id;
};

/** What the agent of a task was answered, in order. */
const answers = async (house: WorkHouse, id: string): Promise<Answered[]> =>
  (await house.ok(['task', 'log', id])).out
    .split('\n')
    .flatMap((line) => /\{"name".*\}/.exec(line)?.[0] ?? [])
    .map((line) => JSON.parse(line) as Answered);

const runDirectory = async (house: WorkHouse, id: string) => join(house.home, 'runs', (await house.runs(id)).at(-1)?.id ?? '');

describe('the MCP server of a run', () => {
  it('tells an agent of its task, takes its report, and passes on what it is told and asks', async () => {
    await using house = await workHouse();
    await mcpAgent(house);
    const ask = {
      name: 'ask_human_question',
      arguments: { text: 'Tabs or spaces?', options: ['tabs', 'spaces'], waitSeconds: 60 },
    };
    const id = await createCaller(
      house,
      calls(
        { name: 'get_task', arguments: {} },
        ask,
        { name: 'read_inbox', arguments: {} },
        { name: 'request_review', arguments: { text: 'is it so?' } },
        { name: 'submit_report', arguments: { status: 'succeeded', summary: 'asked and heard', nextSteps: ['more'] } },
        { name: 'past_reports', arguments: {} },
        { name: 'list_tasks', arguments: {} },
      ),
    );
    const question = await vi.waitFor(
      async () => {
        const [first] = (await house.ok(['question', 'list', '--json'])).json<{ items: Question[] }>().items;
        if (!first) throw new Error('nobody has asked yet');
        return first;
      },
      { timeout: 30_000, interval: 300 },
    );
    expect(question.text).toBe('Tabs or spaces?');
    await house.ok(['task', 'send', id, 'mind the gap']);
    await house.ok(['question', 'answer', question.id, '2']);
    // The review is asked for while it works, and begins when its work is finished: only then are all tasks there.
    await house.rested([id], 60);
    await house.rested(
      (await house.all()).map((task) => task.id),
      60,
    );
    const told = await answers(house, id);
    const of = (name: string) => told.find((answer) => answer.name === name);
    expect(told.filter(({ isError }) => isError)).toEqual([]);
    expect(of('get_task')?.data).toMatchObject({ task: { id }, project: { name: 'shop' } });
    expect(of('ask_human_question')?.data).toMatchObject({ state: 'answered', answer: 'spaces' });
    expect(JSON.stringify(of('read_inbox')?.data)).toContain('mind the gap');
    expect(JSON.stringify(of('read_inbox')?.data)).not.toContain('Tabs or spaces');
    expect(of('list_tasks')?.data).toMatchObject({ tasks: expect.arrayContaining([expect.objectContaining({ id })]) });
    const report = (await house.ok(['task', 'report', id, '--json'])).json<{ reports: { summary: string; channel: string }[] }>();
    expect(report.reports).toMatchObject([{ summary: 'asked and heard', channel: 'mcp' }]);
  });

  it('has a token of its own that nobody else can read and that ends with it', async () => {
    await using house = await workHouse();
    await mcpAgent(house);
    const id = await createCaller(house, calls({ name: 'list_tasks', arguments: {} }));
    await house.rest(id);
    const file = join(await runDirectory(house, id), 'mcp-token');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const token = (await readFile(file, 'utf8')).trim();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(await statusOf(await whereIs(house), { method: 'POST', path: '/mcp/run', headers, body })).toBe(401);
  });

  it('survives a kill -9 of the engine in the middle of a call, and the sub-task is there once [API-06]', async () => {
    await using house = await workHouse([], { engine: false, settings: ['max_concurrent=4'] });
    const first = await house.up();
    await mcpAgent(house);
    const part = { prompt: calls({ name: 'sleep', arguments: { ms: 3_000 } }), title: 'the part', wait: true, waitSeconds: 100 };
    const id = await createCaller(
      house,
      calls(
        { name: 'create_subtask', arguments: part },
        { name: 'list_tasks', arguments: {} },
        { name: 'subtask_status', arguments: { id: 'x' } },
      ),
    );
    const parts = async () => (await house.all()).filter(({ title }) => title === 'the part');
    await vi.waitFor(async () => expect(await parts()).toHaveLength(1), { timeout: 40_000, interval: 200 });
    await first.kill('SIGKILL');
    await house.up();
    await house.rest(id);
    const [created, listed, refused] = await answers(house, id);
    expect(created?.data).toMatchObject({ state: 'ended', task: { title: 'the part' } });
    expect(listed?.data['tasks']).toHaveLength(2);
    expect(refused?.isError).toBe(true);
    expect(await parts()).toHaveLength(1);
  });
});
