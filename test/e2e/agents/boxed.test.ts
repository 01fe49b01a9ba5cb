import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestFunction, vi } from 'vitest';
import { acpClis } from '../../clis/acp-clis.ts';
import { bubblewrap } from '../../clis/bubblewrap.ts';
import { codex } from '../../clis/codex.ts';
import { had } from '../../clis/install.ts';
import { fullOnly, inFullRun } from '../../full-only.ts';
import { agentHouse } from '../../support/agent-house.ts';
import { AS_WHOEVER_TESTS } from '../../support/box-house.ts';
import { onMain, type WorkHouse } from '../../support/work-house.ts';
import { claudeHouse } from './claude-house.ts';
import { commit, engines, reporting, write } from './claude-table.ts';
import { codexHouse } from './codex-house.ts';

const box = await bubblewrap();
const codexFound = await had(codex);

/** Runs where there is a sandbox and the program, and says why where there is not. */
const boxed = (title: string, missing: string | undefined, body: TestFunction): void => {
  const why = 'missing' in box ? box.missing : missing;
  if (why === undefined) fullOnly(title, body);
  else it.skip(`${title}; not run: ${why}`, body);
};

beforeAll(() => void ('directory' in box && vi.stubEnv('PATH', `${box.directory}:${process.env['PATH']}`)));
afterAll(() => vi.unstubAllEnvs());

/** What an agent in a sandbox must not have. */
async function canary(house: WorkHouse): Promise<string> {
  const home = house.env['HOME'] ?? '';
  await house.ok(['config', 'set', AS_WHOEVER_TESTS]);
  await mkdir(join(home, '.ssh'), { recursive: true });
  await writeFile(join(home, '.ssh', 'id_canary'), 'heron of the home\n');
  return home;
}

const peek = (home: string): string =>
  `cat '${home}/.ssh/id_canary' > seen.txt 2>&1; touch '${home}/escaped' 2>> seen.txt; touch here.txt; true`;

async function stayedIn(house: WorkHouse, id: string, home: string): Promise<void> {
  const task = await house.rest(id);
  expect(task).toMatchObject({ phase: { state: 'done' }, attempts: 1 });
  expect(await onMain(house, 'a.txt')).toBe('hello');
  const seen = await onMain(house, 'seen.txt');
  expect(seen).not.toContain('heron of the home');
  expect(seen).toContain('No such file');
  expect(existsSync(join(home, 'escaped'))).toBe(false);
  const { reports } = (await house.ok(['task', 'report', id, '--json'])).json<{ reports: object[] }>();
  expect(reports).toMatchObject([{ channel: 'mcp', summary: 'added a' }]);
}

const agentsOf = async (house: WorkHouse, id: string) =>
  (await house.runs(id)).filter(({ kind, phase }) => kind === 'agent' && phase.state === 'ended');

/** Only in the full run: what is installed has some hundred megabytes. */
const others = await Promise.all(
  acpClis.map(async (cli) => ({ cli, found: inFullRun ? await had(cli) : { missing: 'it is left to the full run' } })),
);

describe('a real agent in a sandbox', () => {
  const [cli] = engines;
  boxed(
    'is Claude Code, which works, reports and lands, and sees nothing of the home [RUN-16]',
    cli?.programs.claude === '' ? 'Claude Code is not here' : undefined,
    async () => {
      await using house = await claudeHouse(cli?.programs ?? { claude: '' });
      const home = await canary(house);
      const look = { call: 'Bash', with: { command: peek(home) } };
      const { id } = await house.work([write('a.txt'), look, commit, ...reporting, { say: 'done' }], '--sandbox');
      await stayedIn(house, id, home);
    },
  );

  boxed(
    'is Claude Code, which goes on in its conversation when it is sent back, and with its work in a fork [RUN-16] [RUN-09]',
    cli?.programs.claude === '' ? 'Claude Code is not here' : undefined,
    async () => {
      await using house = await claudeHouse(cli?.programs ?? { claude: '' });
      await canary(house);
      const answers = [write('a.txt'), commit, { say: 'done' }, { say: 'looked' }];
      const { id, stage } = await house.work(answers, '--sandbox', '--integration', 'review');
      expect(await house.rest(id)).toMatchObject({ phase: { state: 'blocked', block: { cause: 'review' } } });
      await house.ok(['task', 'reject', id, 'look at the heron again']);
      await vi.waitFor(async () => expect(await agentsOf(house, id)).toHaveLength(2), { timeout: 60_000, interval: 300 });
      await house.rest(id);
      const [first, second] = await Promise.all((await agentsOf(house, id)).map((run) => house.run(run.id)));
      expect(second?.watch.session).toBe(first?.watch.session);
      expect(stage.asked.at(-1)).toContain('look at the heron again');
      const fork = (await house.ok(['task', 'fork', id, 'the other way', '--json'])).json<{ id: string; trust: string }>();
      expect(fork.trust).toBe('sandboxed');
      expect(await house.rest(fork.id)).toMatchObject({ phase: { state: 'blocked', block: { cause: 'review' } } });
      expect(stage.asked.at(-1)).toContain('the other way');
      expect((await house.ok(['task', 'diff', fork.id])).out).toContain('a.txt');
      await house.ok(['task', 'approve', fork.id]);
      expect(await house.rest(fork.id)).toMatchObject({ phase: { state: 'done' } });
      expect(await onMain(house, 'a.txt')).toBe('hello');
    },
  );

  boxed(
    'is Codex, which works, reports and lands, and sees nothing of the home [RUN-16]',
    'missing' in codexFound ? codexFound.missing : undefined,
    async () => {
      await using house = await codexHouse('program' in codexFound ? codexFound.program : '');
      const home = await canary(house);
      // It takes no address of a model from its environment.
      await house.ok(['config', 'set', `sandbox_hosts=${new URL(house.models.url).host}`]);
      const before = (await readdir(house.codexHome)).toSorted();
      const report = JSON.stringify({ status: 'succeeded', summary: 'added a', done: ['a'], nextSteps: [] });
      const { id } = await house.work(
        `write a.txt hello\nrun ${peek(home)}\nrun git add -A && git commit -qm "add a"\ncall submit_report ${report}\nsay done`,
        '--sandbox',
      );
      await stayedIn(house, id, home);
      expect((await readdir(house.codexHome)).toSorted()).toEqual(before);
      expect(await readdir(join(house.home, 'tasks', id, 'moved-home', 'codex'))).toContain('sessions');
    },
  );

  boxed(
    'is Codex, which goes on in its conversation when it is resumed, and with its work in a fork [RUN-16] [RUN-09]',
    'missing' in codexFound ? codexFound.missing : undefined,
    async () => {
      await using house = await codexHouse('program' in codexFound ? codexFound.program : '');
      await canary(house);
      await house.ok(['config', 'set', `sandbox_hosts=${new URL(house.models.url).host}`]);
      const scenario = 'write a.txt hello\nrun git add -A && git commit -qm "add a"\nsay done\nturn\nsay looked';
      const { id } = await house.work(scenario, '--sandbox', '--integration', 'review');
      expect(await house.rest(id)).toMatchObject({ phase: { state: 'blocked', block: { cause: 'review' } } });
      await house.ok(['task', 'reject', id, 'look at the heron again']);
      await vi.waitFor(async () => expect(await agentsOf(house, id)).toHaveLength(2), { timeout: 60_000, interval: 300 });
      await house.rest(id);
      const [first, second] = await house.agentRuns(id);
      expect(second?.watch.session).toBe(first?.watch.session);
      const fork = (await house.ok(['task', 'fork', id, 'the other way', '--json'])).json<{ id: string }>();
      expect(await house.rest(fork.id)).toMatchObject({ phase: { state: 'blocked', block: { cause: 'review' } } });
      await house.ok(['task', 'approve', fork.id]);
      expect(await house.rest(fork.id)).toMatchObject({ phase: { state: 'done' } });
      expect(await onMain(house, 'a.txt')).toBe('hello');
    },
  );

  for (const { cli, found } of others)
    boxed(
      `is ${cli.title}, which works and lands, and sees nothing of the home but its settings [RUN-16]`,
      inFullRun && 'missing' in found ? found.missing : undefined,
      async () => {
        const peeking = 'cat ~/.ssh/id_canary > seen.txt 2>&1; touch ~/escaped; true';
        const scenario = `run echo hello > a.txt; ${peeking}\nsay It is written.`;
        await using house = await agentHouse(cli, 'program' in found ? found.program : '', { scenario });
        const home = await canary(house);
        const settings = Object.keys(cli.atHome(house.played.url)).map((path) => `~/${path}`);
        const shown = settings.length === 0 ? [] : [`sandbox_read=${settings.join(',')}`];
        await house.ok(['config', 'set', `sandbox_hosts=${new URL(house.played.url).host}`, ...shown]);
        await house.wake();
        const id = await house.task('Write a.txt.', '--sandbox');
        const [task] = await house.rested([id], 150);
        expect(task).toMatchObject({ phase: { state: 'done' }, attempts: 1 });
        expect(await onMain(house, 'a.txt')).toBe('hello');
        expect(await onMain(house, 'seen.txt')).toContain('No such file');
        expect(existsSync(join(home, 'escaped'))).toBe(false);
      },
    );
});
