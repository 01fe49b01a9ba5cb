import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { onMain, type TaskJson } from '../../support/work-house.ts';
import { type ClaudeHouse, claudeHouse } from './claude-house.ts';
import type { Answer } from './claude-model.ts';
import { commit, engines, inPlace, linger, report, reporting, times, USED, WAIT, work, write } from './claude-table.ts';

describe.each(engines)('the real Claude Code by its $engine', ({ programs, short, long }) => {
  let house: ClaudeHouse;
  const isRun = programs.claude !== '';
  beforeAll(async () => {
    if (isRun) house = await claudeHouse(programs, { settings: ['max_concurrent=4'] });
  });
  afterAll(async () => house?.[Symbol.asyncDispose]());

  const agentRuns = async (id: string) => (await house.runs(id)).filter(({ kind }) => kind === 'agent');
  const facts = async (id: string, nth = -1) => house.run((await agentRuns(id)).at(nth)?.id ?? '');
  const outcomes = async (id: string) => (await agentRuns(id)).map(({ phase }) => phase.outcome ?? phase.state);
  const lingering = (asked: readonly string[], count: number) => vi.waitFor(() => expect(asked.length).toBe(count), WAIT);
  const toolRuns = (id: string) =>
    vi.waitFor(async () => expect((await facts(id)).watch).toMatchObject({ openTools: [expect.any(String)] }), WAIT);

  short(
    'edits, commits and reports through MCP; its work lands, and what it cost is known [EXEC-01] [EXEC-03] [EXEC-07]',
    async () => {
      const { id, stage } = await house.work([write('a.txt'), commit, ...reporting, { say: 'done' }], '--draft');
      // Said before it begins, it stands in its prompt.
      await house.ok(['task', 'send', id, 'mind the heron']);
      await house.ok(['task', 'dispatch', id]);
      expect(await house.rest(id)).toMatchObject({ phase: { state: 'done' }, attempts: 1 });
      expect(await onMain(house, 'a.txt')).toBe('hello');
      const { reports } = (await house.ok(['task', 'report', id, '--json'])).json<{ reports: object[] }>();
      expect(reports).toMatchObject([{ channel: 'mcp', ...report }]);
      const { watch } = await facts(id);
      expect(watch).toMatchObject({ usage: times(5), context: { tokens: 170 } });
      expect(watch.usage?.costUsd).toBeGreaterThan(0);
      expect(watch.unknownLines).toBeUndefined();
      expect(stage.keys).toEqual(Array(5).fill('sk-none'));
      expect(stage.asked[0]).toContain('mind the heron');
    },
  );

  long('goes on by itself after the provider has sent it away twice [RUN-04]', async () => {
    const trouble = { status: 429, type: 'rate_limit_error', headers: { 'retry-after': '1' } };
    const { id } = await house.work([{ say: 'done', first: [trouble, trouble] }], ...inPlace);
    expect(await house.rest(id)).toMatchObject({ phase: { state: 'done' }, attempts: 1 });
    expect((await facts(id)).watch.usage).toMatchObject(times(1));
  });

  short('takes a message while a tool of its runs, and says that it heard it [RUN-10]', async () => {
    const { id, stage } = await house.work(
      [{ call: 'Bash', with: { command: 'until [ -e go ]; do :; done; rm go' } }, { say: 'done' }],
      ...inPlace,
    );
    await toolRuns(id);
    await house.ok(['task', 'send', id, 'use the blue one']);
    const messages = async () =>
      (await house.ok(['task', 'show', id, '--json'])).json<{ messages: { state: string }[] }>().messages;
    await vi.waitFor(async () => expect(await messages()).toMatchObject([{ state: 'sent' }]), WAIT);
    const where = (await house.workspaces()).find(({ use }) => use.taskId === id)?.path ?? '';
    await writeFile(join(where, 'go'), '');
    expect(await house.rest(id)).toMatchObject({ phase: { state: 'done' }, attempts: 1 });
    expect(await messages()).toMatchObject([{ state: 'heard' }]);
    expect(stage.asked.at(-1)).toContain('use the blue one');
    expect(stage.asked[0]).not.toContain('use the blue one');
  });

  short('leaves no process behind when it is canceled while its shell runs [RUN-13]', async () => {
    const { id, stage } = await house.work([linger, { say: 'done' }], ...inPlace);
    await lingering(stage.asked, 1);
    await toolRuns(id);
    expect(await house.processes()).toBeGreaterThan(1);
    await house.ok(['task', 'cancel', id]);
    expect(await house.rest(id)).toMatchObject({ phase: { state: 'canceled' } });
    expect(await house.processes()).toBe(0);
  });

  short('under review reads the history, and writes, deletes, redirects and pushes nothing [EXEC-06]', async () => {
    const bad = [
      'git push origin main',
      'echo x > new',
      'rm README',
      'git log --output=new',
      'git log | tee new',
      'cp README new',
    ];
    const script: Answer[] = [
      ...bad.map((command): Answer => ({ call: 'Bash', with: { command } })),
      write('new'),
      { call: 'Edit', with: { file_path: 'README', old_string: 'hello', new_string: 'bye' } },
      { call: 'Bash', with: { command: 'git log --oneline' } },
      ...reporting,
      { say: 'looked' },
    ];
    const { id, stage } = await house.work(script, '--kind', 'review', ...inPlace);
    const task = await house.rest(id);
    expect(task).toMatchObject({ phase: { state: 'done' } });
    expect(task.work?.changes?.files ?? 0).toBe(0);
    const results = [...(stage.asked.at(-1) ?? '').matchAll(/"is_error":(true|false)/g)].map(([, is]) => is === 'true');
    expect(results.slice(0, 8)).toEqual(Array(8).fill(true));
    expect(stage.asked.at(-1)).toContain('first');
    const { reports } = (await house.ok(['task', 'report', id, '--json'])).json<{ reports: object[] }>();
    expect(reports).toMatchObject([{ channel: 'mcp' }]);
  });

  long(
    'whose provider is overloaded and gives up is tried again later, with the same conversation [RUN-04] [RUN-09]',
    async () => {
      const trouble = { status: 529, type: 'overloaded_error', headers: { 'x-should-retry': 'false' } };
      const { id } = await house.work([write('o.txt'), { ...commit, first: [trouble] }, { say: 'done' }]);
      expect(await house.rest(id)).toMatchObject({ phase: { state: 'done' }, attempts: 2 });
      expect(await outcomes(id)).toEqual(['rate_limited', 'succeeded']);
      const [first, second] = [await facts(id, 0), await facts(id, 1)];
      expect(second.watch.session).toBe(first.watch.session);
      // The first run is counted once, although the program says its cost again in the second.
      expect(first.watch.usage).toMatchObject(times(1));
      expect(second.watch.usage).toMatchObject(times(2));
      expect(second.watch.usage?.costUsd).toBeCloseTo(2 * (first.watch.usage?.costUsd ?? 0));
    },
  );

  long('that dies in the middle goes on with its conversation in the next attempt [RUN-09]', async () => {
    // The program itself puts a word of the model into a conversation that was cut off.
    const save: Answer = { call: 'Bash', with: { command: 'echo hello > c.txt; git add -A; git commit -qm "add c"; true' } };
    const { id, stage } = await house.work([linger, save, save, { say: 'done' }]);
    await toolRuns(id);
    process.kill((await facts(id)).phase.agent?.pid ?? 0, 'SIGKILL');
    expect(await house.rest(id)).toMatchObject({ phase: { state: 'done' }, attempts: 2 });
    expect(await outcomes(id)).toEqual(['crashed', 'succeeded']);
    const [first, second] = [await facts(id, 0), await facts(id, 1)];
    expect(second.watch.session).toBe(first.watch.session);
    expect(first.watch.usage).toMatchObject({ inputTokens: USED.inputTokens, cachedTokens: USED.cachedTokens });
    expect(stage.asked.at(-1)).toContain('tail -f /dev/null');
    expect(await house.processes()).toBe(0);
  });

  long('goes on when a person resumes it, and a fork of it goes on with a copy [RUN-09]', async () => {
    const { id, stage } = await house.work([...work('r.txt'), { say: 'second' }, { say: 'third' }], '--integration', 'review');
    expect(await house.rest(id)).toMatchObject({ phase: { state: 'blocked' } });
    await house.ok(['task', 'reject', id, 'look at the heron again']);
    await vi.waitFor(async () => expect(await outcomes(id)).toEqual(['succeeded', 'succeeded']), WAIT);
    await house.rest(id);
    const [first, second] = [await facts(id, 0), await facts(id, 1)];
    expect(second.watch.session).toBe(first.watch.session);
    expect(second.watch.usage).toMatchObject(times(1));
    expect(stage.asked.at(-1)).toContain('look at the heron again');
    const fork = (await house.ok(['task', 'fork', id, 'try it the other way', '--json'])).json<TaskJson>();
    await house.rest(fork.id);
    const copy = await facts(fork.id);
    expect(copy.watch.session).not.toBe(first.watch.session);
    expect(copy.watch.usage).toMatchObject(times(1));
    expect(stage.asked.at(-1)).toContain('look at the heron again');
    expect(stage.asked.at(-1)).toContain('try it the other way');
  });

  long('stops at its budget and at its number of turns [RUN-08]', async () => {
    const steps: Answer[] = [
      { call: 'Bash', with: { command: 'true' } },
      { call: 'Bash', with: { command: 'echo on' } },
      { say: 'done' },
    ];
    const dear = await house.work(steps, '--max-budget-usd', '0.0001', ...inPlace);
    const long = await house.work(steps, '--max-turns', '1', ...inPlace);
    await house.rested([dear.id, long.id], 90);
    for (const { id } of [dear, long]) expect(await outcomes(id)).toEqual(['over_budget']);
    expect((await facts(dear.id)).phase.detail).toContain('maximum budget');
    expect((await facts(long.id)).phase.detail).toContain('maximum number of turns');
  });
});
