import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, type TestFunction, vi } from 'vitest';
import { type AcpCli, acpClis } from '../../clis/acp-clis.ts';
import { had } from '../../clis/install.ts';
import { fullOnly, inFullRun } from '../../full-only.ts';
import { type AgentHouse, agentHouse } from '../../support/agent-house.ts';
import type { TaskJson } from '../../support/work-house.ts';

interface Offered {
  readonly cli: AcpCli;
  readonly title: string;
  house(scenario: string, settings?: readonly string[]): Promise<AgentHouse>;
  test(title: string, body: TestFunction): void;
  /** What this program cannot do, with the reason in the title. */
  cannot(title: string, why: string): void;
}

/** Only in the full run: what is installed has some hundred megabytes. */
async function offered(cli: AcpCli): Promise<Offered> {
  const found = inFullRun ? await had(cli) : { program: '' };
  const program = 'program' in found ? found.program : '';
  const cannot = (title: string, why: string): void => it.skip(`${title}; it cannot: ${why}`, () => {});
  return {
    cli,
    title: `${cli.title} ${cli.version}`,
    house: (scenario, settings = []) => agentHouse(cli, program, { scenario, settings }),
    test: (title, body) =>
      'program' in found
        ? fullOnly(title, body)
        : it.skip(`${title}; not run: ${found.missing}; its transcripts are replayed`, body),
    cannot,
  };
}

const REPORT = 'call submit_report {"status":"succeeded","summary":"it is written","done":["wrote it"]}';
const LOOK = ['--no-expects-changes', '--integration', 'none'];

const agents = await Promise.all(acpClis.map(offered));
const name = (one: Offered): string => one.cli.name;

describe.each(agents)('the real $title', (agent) => {
  const { house: open, test, cannot } = agent;
  // The simulated model does not see where this one works, and it writes to whole paths only.
  const made = name(agent) === 'qwen' ? 'run echo hello > a.txt' : 'write a.txt hello';
  const WORK = `${made}\ntry ${REPORT}\nsay It is written.`;
  const isNot = (...names: string[]): boolean => !names.includes(name(agent));

  test('edits a file, runs a command and reports over MCP; the work lands, and what it took is told [EXEC-03] [EXEC-07]', async () => {
    // The model of this one has to look its tools up first, which the simulated one does not know how to.
    const looksUp = name(agent) === 'qwen';
    await using house = await open(`${made}\nrun cat a.txt > b.txt\n${looksUp ? '' : `${REPORT}\n`}say It is written.`);
    const engine = await house.wake();
    const id = await house.task('Write a.txt.');
    const task = await atRest(house, id);
    expect(house.played.problems).toEqual([]);
    expect(task).toMatchObject({ phase: { state: 'done' }, attempts: 1 });
    expect(await house.says('show', 'HEAD:b.txt')).toBe('hello');
    if (!looksUp) expect(await house.reports(id)).toMatchObject([{ channel: 'mcp', summary: 'it is written' }]);
    const [run] = await house.agentRuns(id);
    expect(run?.phase.outcome).toBe('succeeded');
    expect(run?.watch?.usage?.inputTokens).toBeGreaterThan(0);
    // One line of qwen's is not understood yet: it is counted.
    expect(run?.watch?.unknownLines ?? 0).toBe(name(agent) === 'qwen' ? 1 : 0);
    if (name(agent) === 'opencode') expect(run?.watch?.usage?.costUsd).toBeGreaterThan(0);
    await engine.kill('SIGTERM');
  });

  test('works through two refusals of its provider and an overload [RUN-04]', async () => {
    await using house = await open(`fault rate_limit 2x 1s\nfault overloaded 1x 1s\n${WORK}`);
    await house.wake();
    const id = await house.task('Write a.txt.');
    expect(await house.rested([id], 200)).toMatchObject([{ phase: { state: 'done' }, attempts: 1 }]);
  });

  if (!isNot('copilot')) cannot('that is not signed in says so', 'it tells failures in words only');
  else
    test('that is not signed in says so, with the command that helps, and is not tried again', async () => {
      await using house = await open(`fault unauthorized always\n${WORK}`);
      await house.wake();
      const id = await house.task('Write a.txt.', '--max-attempts', '3');
      const task = await atRest(house, id);
      const runs = await house.agentRuns(id);
      expect(runs.map(({ phase }) => phase.outcome)).toEqual(['auth_required']);
      expect(JSON.stringify([task.phase, runs])).toContain(name(agent));
    });

  test('is stalled when nothing comes from its model, and a second run goes on [RUN-09]', async () => {
    // One of them uses the processor while it waits, which is taken for a sign of life ten times as long.
    const stall = isNot('opencode') ? 60 : 12;
    await using house = await open(`fault hang 1x\n${WORK}`, [`stall_seconds=${stall}`, 'max_attempts=4']);
    await house.wake();
    const id = await house.task('Write a.txt.');
    expect(await house.rested([id], 300)).toMatchObject([{ phase: { state: 'done' } }]);
    expect((await house.agentRuns(id)).map(({ phase }) => phase.outcome)).toEqual(['stalled', 'succeeded']);
  });

  test('that is killed is started again [RUN-02]', async () => {
    await using house = await open(`gate\n${WORK}`, ['max_attempts=3']);
    await house.wake();
    const id = await house.task('Write a.txt.');
    await vi.waitFor(() => expect(house.played.exchanges.length).toBeGreaterThan(0), 150_000);
    process.kill(await house.agentPid(), 'SIGKILL');
    house.played.release();
    house.played.release();
    await house.rested([id], 200);
    const outcomes = (await house.agentRuns(id)).map(({ phase }) => phase.outcome);
    expect(outcomes).toHaveLength(2);
    expect(outcomes[1]).toBe('succeeded');
  });

  test('is canceled while its shell runs, and nothing of it is left [RUN-02]', async () => {
    await using house = await open('run echo begun > begun.txt; sleep 300\nsay Slept.');
    await house.wake();
    const id = await house.task('Sleep.');
    const begun = async () => {
      const { work } = await house.show(id);
      const at = (await house.workspaces()).find((one) => one.id === work?.workspaceId)?.path ?? '/nowhere';
      return readFile(join(at, 'begun.txt'), 'utf8');
    };
    await vi.waitFor(begun, { timeout: 150_000, interval: 300 });
    expect((await house.processesOf(id)).join('\n')).toContain('sleep 300');
    await house.ok(['task', 'cancel', id]);
    expect(await atRest(house, id)).toMatchObject({ phase: { state: 'canceled' } });
    await vi.waitFor(async () => expect(await house.processesOf(id)).toEqual([]), { timeout: 60_000, interval: 200 });
  });

  if (isNot('gemini', 'copilot', 'qwen'))
    test('is told something while it works [RUN-10]', async () => {
      await using house = await open('run sleep 8\nsay Slept.\nturn\nrun sleep 1\nsay You said: {asked}');
      await house.wake();
      const id = await house.task('Sleep.', ...LOOK);
      await vi.waitFor(() => expect(house.played.exchanges.length).toBeGreaterThan(0), 150_000);
      await house.ok(['task', 'send', id, 'leave the parser alone']);
      await house.rested([id], 200);
      const runs = await house.agentRuns(id);
      expect(runs.map(({ phase }) => phase.outcome)).toEqual(['succeeded']);
      expect(runs[0]?.watch?.summary).toContain('leave the parser alone');
    });
  else cannot('is told something while it works', 'a second prompt cancels the first');

  if (!isNot('copilot'))
    cannot('that is killed in the middle goes on with its conversation', 'it has kept nothing of it then, and begins anew');
  else
    test('that is killed in the middle goes on with its conversation [RUN-09]', async () => {
      await using house = await open(`run echo heron\ngate\n${made}\nsay I go on.`, ['max_attempts=3']);
      await house.wake();
      const id = await house.task('Remember the word.');
      await vi.waitFor(() => expect(house.played.exchanges.length).toBeGreaterThan(1), 150_000);
      if (name(agent) === 'gemini') await nextMinute();
      process.kill(await house.agentPid(), 'SIGKILL');
      for (const _ of [1, 2, 3]) house.played.release();
      await house.rested([id], 200);
      const [first, second] = await house.agentRuns(id);
      expect(second?.phase.outcome).toBe('succeeded');
      expect(second?.watch?.session).toBe(first?.watch?.session);
      const body = JSON.stringify(house.played.exchanges.at(-1)?.body);
      expect(body.split('echo heron').length - 1).toBeGreaterThan(1);
    });

  if (isNot('gemini', 'copilot', 'qwen'))
    test('goes on with a copy of a conversation, and tells only what the copy took [RUN-09]', async () => {
      await using house = await open('usage 5000 50\nsay The word is heron.\nturn\nusage 700 7\nsay I go on.');
      await house.wake();
      const id = await house.task('Remember the word.', ...LOOK);
      await atRest(house, id);
      const fork = (await house.ok(['task', 'fork', id, 'Which word?', '--json'])).json<{ id: string }>().id;
      await atRest(house, fork);
      const [[first], [copy]] = [await house.agentRuns(id), await house.agentRuns(fork)];
      expect(copy?.watch?.session).not.toBe(first?.watch?.session);
      expect(JSON.stringify(house.played.exchanges.at(-1)?.body)).toContain('The word is heron.');
      expect(copy?.watch?.usage).toMatchObject({ inputTokens: 700, outputTokens: 7 });
    });
  else cannot('goes on with a copy of a conversation', 'its protocol has no way to copy one');

  if (isNot('gemini', 'copilot', 'qwen'))
    test('stops when it has spent what it may [RUN-08]', async () => {
      await using house = await open('repeat\nusage 100000 1000\nrun echo again');
      await house.wake();
      const id = await house.task('Go on for ever.', ...LOOK, '--max-budget-usd', '0.5', '--max-attempts', '1');
      await atRest(house, id);
      expect((await house.agentRuns(id)).map(({ phase }) => phase.outcome)).toEqual(['over_budget']);
    });
  else cannot('stops when it has spent what it may', 'it says what it took only when a turn is over');

  test('is adopted when Fleet is killed: it is finished once, with its report and what it took [RUN-01]', async () => {
    await using house = await open(`gate\nusage 900 90\n${WORK}`);
    const engine = await house.wake();
    const id = await house.task('Write a.txt.');
    await vi.waitFor(() => expect(house.played.exchanges.length).toBeGreaterThan(0), 150_000);
    await engine.kill('SIGKILL');
    house.played.release();
    await house.wake();
    expect(await house.rested([id], 200)).toMatchObject([{ phase: { state: 'done' }, attempts: 1 }]);
    if (isNot('qwen')) expect(await house.reports(id)).toHaveLength(1);
    const [run] = await house.agentRuns(id);
    expect(run?.phase.outcome).toBe('succeeded');
    expect(run?.watch?.usage?.inputTokens).toBeGreaterThanOrEqual(900);
  });

  test('under review can read and report, and cannot write, delete, redirect or push [EXEC-06]', async () => {
    const deeds = ['run git log --oneline', 'run rm -f README.md', 'run echo x > pwned.txt', 'run git push origin HEAD'];
    await using house = await open(`${deeds.join('\n')}\nrun git log --output=pwned2.txt\ntry ${REPORT}\nsay Reviewed.`);
    await house.wake();
    const id = await house.task('Review it.', '--kind', 'review', ...LOOK);
    await atRest(house, id);
    const results = house.played.exchanges.at(-1)?.conversation.results ?? [];
    const { work } = await house.show(id);
    const at = (await house.workspaces()).find((one) => one.id === work?.workspaceId)?.path ?? house.repo;
    expect((await house.git(at, 'status', '--porcelain')).out).toBe('');
    expect(results[0]?.text).toMatch(/[0-9a-f]{7}/);
    // A no ends the turn of these: it comes to no report.
    if (!isNot('copilot', 'qwen')) expect((await house.agentRuns(id))[0]?.phase.outcome).toBe('refused');
    else expect(await house.reports(id)).toMatchObject([{ channel: 'mcp' }]);
    const offeredTools = house.played.exchanges[0]?.conversation.tools.map((tool) => tool.name) ?? [];
    expect(offeredTools.filter((tool) => /^(write|edit|write_file|replace|create|apply_patch)$/.test(tool))).toEqual([]);
  });
});

/** Real programs take their time, and more of it where others work. */
const atRest = async (house: AgentHouse, id: string): Promise<TaskJson> => (await house.rested([id], 200))[0] as TaskJson;

/** What was begun in a minute of the clock is lost to who loads it in the same one. */
async function nextMinute(): Promise<void> {
  const minute = () => Math.floor(Date.now() / 60_000);
  const begun = minute();
  await vi.waitFor(() => expect(minute()).toBeGreaterThan(begun), { timeout: 70_000, interval: 500 });
}
