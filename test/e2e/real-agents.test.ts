import { spawn } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, it, type TestFunction } from 'vitest';
import type { ToolResult } from '../../src/simulate/conversation.ts';
import { parseScenario } from '../../src/simulate/scenario/parse-scenario.ts';
import type { SimulatedRun } from '../../src/simulate/simulator.ts';
import { TOOL_SETS, toolsFor } from '../../src/surfaces/mcp/tool-sets.ts';
import { root } from '../../tools/paths.mjs';
import type { AgentCli } from '../clis/agent-cli.ts';
import { claude } from '../clis/claude.ts';
import { codex } from '../clis/codex.ts';
import { had } from '../clis/install.ts';
import { fullOnly, inFullRun } from '../full-only.ts';
import { type CliHouse, cliHouse } from '../support/cli-house.ts';
import { tokenFor, whereIs } from '../support/mcp-house.ts';
import { modelServer } from '../support/model-server.ts';
import { type TaskJson, workHouse } from '../support/work-house.ts';

const FLEET = join(root, 'dist', 'fleet.mjs');

/** An agent's program, and a way to title tests that says why they cannot run. */
interface Offered {
  readonly cli: AgentCli;
  readonly program: string;
  test(title: string, body: TestFunction): void;
}

/** Only in the full run: what is installed has some hundred megabytes. */
async function offered(cli: AgentCli): Promise<Offered> {
  const found = inFullRun ? await had(cli) : { program: '' };
  if ('program' in found) return { cli, program: found.program, test: (title, body) => fullOnly(title, body) };
  return { cli, program: '', test: (title, body) => it.skip(`${title}; not run: ${found.missing}`, body) };
}

const agents = [await offered(claude), await offered(codex)];

describe.each(agents)('the real $cli.title, $cli.version', ({ cli, program, test }) => {
  test('sees the tools of fleet mcp, hands work to an agent with them and reads its report [API-05]', async () => {
    await using house = await cliHouse();
    await using models = await modelServer();
    const directory = join(house.directory, 'work');
    await mkdir(directory);
    const prompt = '```scenario\nedit a.txt hello\ndone wrote a file\n```';
    const task = { prompt, title: 'write', executor: 'scripted', directory };
    const played = models.play(
      parseScenario(`
        call task_create ${JSON.stringify(task)}
        call task_wait {"ids":["{result /task_[0-9a-z]{26}/}"]}
        call task_collect {"id":"{result /task_[0-9a-z]{26}/}"}
        call task_show {"id":"nothing"}
        say The file is written.`),
    );
    const fleet = { command: process.execPath, args: [FLEET, 'mcp'], env: house.env };
    try {
      const out = await ended(house, [program, ...cli.headless({ modelUrl: played.url, fleet }), 'Have a.txt written.'], {
        ...cli.surroundings(played.url),
        ...cli.showAll,
      });
      expect(played.problems).toEqual([]);
      expect(cli.lastWords(out)).toBe('The file is written.');
      expect(fleetTools(played)).toEqual(TOOL_SETS.orchestrate.tools.map(({ name }) => name).toSorted());
      expect(resultOf(played, 'task_wait')).toContain('"state":"ended"');
      expect(resultOf(played, 'task_collect')).toContain('"summary":"wrote a file"');
      expect(resultOf(played, 'task_show')).toContain('not_found');
      const id = idIn(resultsIn(played));
      const shown = (await house.ok(['task', 'show', id, '--json'])).json<TaskJson>();
      expect(shown).toMatchObject({ title: 'write', phase: { state: 'done' } });
      expect(await readFile(join(directory, 'a.txt'), 'utf8')).toContain('hello');
    } finally {
      await house.ok(['up', '--stop']);
    }
  });

  test('speaks to a live server over HTTP with a token [API-05]', async () => {
    await using house = await workHouse();
    await using models = await modelServer();
    const where = await whereIs(house);
    const token = await tokenFor(where, 'onlooker', 'monitor');
    const fleet = { url: `${where.url}/mcp`, headers: { Authorization: `Bearer ${token}` } };
    const played = models.play(parseScenario('call project_list\nsay One shop.'));
    const args = cli.headless({ modelUrl: played.url, fleet });
    const around = { ...cli.surroundings(played.url), ...cli.showAll };
    const out = await ended(house, [program, ...args, 'Which projects are there?'], around);
    expect(played.problems).toEqual([]);
    expect(cli.lastWords(out)).toBe('One shop.');
    expect(resultOf(played, 'project_list')).toContain('"name":"shop"');
    expect(fleetTools(played)).toEqual(
      toolsFor('orchestrate', 'monitor')
        .map(({ name }) => name)
        .toSorted(),
    );
  });

  test("works on a task, reports through the run's own tools, and finds its user's settings as they were [API-06]", async () => {
    await using house = await workHouse([], { engine: false });
    await using models = await modelServer();
    for (const [path, text] of Object.entries(cli.belongings)) await writeAt(atHome(house, path), text);
    const report = { status: 'succeeded', summary: 'looked around', done: ['looked'], nextSteps: ['look again'] };
    const played = models.play(parseScenario(`call get_task\ncall submit_report ${JSON.stringify(report)}\nsay I have looked.`));
    const command = [program, ...cli.headless({ modelUrl: played.url, fleet: 'of the run' }), '{prompt}'];
    const needed = Object.keys(cli.surroundings(played.url));
    const executor = `command = ${JSON.stringify(command)}\noutput = "jsonl"\nenv_allow = ${JSON.stringify(needed)}\n${cli.rules}`;
    await writeAt(join(house.home, 'executors', `${cli.name}.toml`), executor);
    const engine = await house.up(await outside(house, cli.surroundings(played.url)));
    const made = await house.ok([
      ...['task', 'create', '--project', 'shop', '--prompt', 'Look behind the counter.', '--executor', cli.name],
      ...['--kind', 'explore', '--no-expects-changes', '--integration', 'none', '--json'],
    ]);
    const { id } = made.json<TaskJson>();
    const task = await house.rest(id);
    expect(played.problems).toEqual([]);
    expect(task).toMatchObject({ phase: { state: 'done' }, attempts: 1 });
    expect(resultOf(played, 'get_task')).toContain('Look behind the counter.');
    const { reports } = (await house.ok(['task', 'report', id, '--json'])).json<{ reports: object[] }>();
    expect(reports).toMatchObject([{ channel: 'mcp', ...report }]);
    for (const [path, text] of Object.entries(cli.belongings)) {
      const after = await readFile(atHome(house, path), 'utf8');
      expect(cli.settingsIn(path, after), path).toEqual(cli.settingsIn(path, text));
    }
    await engine.kill('SIGTERM');
  });

  test('is attached by the line that the guide gives for it [API-05]', async () => {
    await using house = await workHouse();
    await using models = await modelServer();
    const bin = join(house.directory, 'bin');
    await mkdir(bin);
    await symlink(FLEET, join(bin, 'fleet'));
    const path = { PATH: `${bin}${delimiter}${house.env['PATH']}` };
    const [name, ...words] = await guideLine(cli.title);
    expect(name).toBe(cli.name);
    const played = models.play(parseScenario('call project_list\nsay One shop.'));
    const around = { ...cli.surroundings(played.url), ...path };
    // Not every client hands its environment on to the servers it starts.
    const home = ['--env', `FLEET_HOME=${house.home}`];
    await ended(house, [program, ...words.flatMap((word) => (word === '--' ? [...home, word] : word))], around);
    const args = cli.headless({ modelUrl: played.url, fleet: 'attached' });
    const out = await ended(house, [program, ...args, 'Which projects are there?'], around);
    expect(played.problems).toEqual([]);
    expect(cli.lastWords(out)).toBe('One shop.');
    expect(resultOf(played, 'project_list')).toContain('"name":"shop"');
  });
});

const idIn = (results: readonly ToolResult[]): string => /task_[0-9a-z]{26}/.exec(results[0]?.text ?? '')?.[0] ?? '';

/** Names of Fleet's tools that the model was offered at first, as Fleet calls them. */
const fleetTools = ({ exchanges }: SimulatedRun): string[] =>
  (exchanges[0]?.conversation.tools ?? [])
    .map(({ name, namespace }) => (namespace === undefined ? name : `${namespace}__${name}`))
    .flatMap((name) => /^mcp__fleet__(.+)$/.exec(name)?.[1] ?? [])
    .toSorted();

/** What the calls of the whole conversation came to. */
const resultsIn = ({ exchanges }: SimulatedRun): readonly ToolResult[] => exchanges.at(-1)?.conversation.results ?? [];

const resultOf = (played: SimulatedRun, tool: string): string =>
  resultsIn(played).find((result) => result.tool.endsWith(tool))?.text ?? `${tool} came to nothing`;

const atHome = (house: CliHouse, path: string): string => join(house.env['HOME'] ?? '', path);

async function writeAt(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** What stands in the guide to be typed for that client, word by word. */
async function guideLine(title: string): Promise<string[]> {
  const guide = await readFile(join(root, 'docs', 'guide', 'mcp.md'), 'utf8');
  const row = guide.split('\n').find((line) => line.startsWith(`| ${title} |`));
  return (/`(.+)`/.exec(row ?? '')?.[1] ?? '').split(' ');
}

/** Variables for a program that leaves things where it may: they go with the house. */
async function outside(house: CliHouse, more: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const TMPDIR = join(house.directory, 'tmp');
  await mkdir(TMPDIR, { recursive: true });
  return { ...more, TMPDIR };
}

/** What a program of another maker printed, in the house and with nobody at its input. Fails unless it succeeds. */
async function ended(house: CliHouse, command: readonly string[], more: Readonly<Record<string, string>>): Promise<string> {
  const [program = '', ...args] = command;
  const env = { ...house.env, ...(await outside(house, more)) };
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: house.directory, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(out);
      else reject(new Error(`${program} ended with ${code}: ${err.slice(-2_000)} ${out.slice(-2_000)}`));
    });
  });
}
