import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { root } from '../../../tools/paths.mjs';
import { claude } from '../../clis/claude.ts';
import { codex } from '../../clis/codex.ts';
import { had } from '../../clis/install.ts';
import { fullOnly, inFullRun } from '../../full-only.ts';
import { hasTmux, type Terminal, terminal } from '../../support/terminal.ts';
import { commitIn, type WorkHouse } from '../../support/work-house.ts';
import { type ClaudeHouse, claudeHouse } from './claude-house.ts';
import { write } from './claude-table.ts';
import { codexHouse } from './codex-house.ts';

const WAIT = { timeout: 60_000, interval: 100 };
const tmux = await hasTmux();
const [claudeHad, codexHad] = [await had(claude), inFullRun ? await had(codex) : { missing: 'it is tried in the full run' }];

/** What each of them says when it wants something before it begins. */
const DIALOGS =
  /Enter to confirm|enter continue|trust this folder|Try new model|Folder access|Hooks need review|MCP server found|Welcome back|Let's get started/i;

const opening = (house: WorkHouse, around: Readonly<Record<string, string>>, id: string): Promise<Terminal> =>
  terminal({
    directory: house.directory,
    command: [process.execPath, join(root, 'dist', 'fleet.mjs'), 'task', 'open', id],
    env: { ...house.env, ...around, TERM: 'xterm-256color' },
  });

const textOf = (path: string): Promise<string> => vi.waitFor(() => readFile(path, 'utf8'), WAIT);
const placeOf = async (house: WorkHouse, id: string): Promise<string> =>
  (await house.workspaces()).find(({ use }) => use.taskId === id)?.path ?? '';
/** Files that the command laid for the program. */
const laid = async (directory: string) => (await readdir(directory)).filter((name) => name.startsWith('fleet-open-'));

/** A repository whose settings want to be trusted, and would run something. */
const greedy = (house: WorkHouse) => {
  const touch = (name: string) => `touch '${join(house.directory, name)}'`;
  const hook = [{ hooks: [{ type: 'command', command: touch('hooked') }] }];
  return commitIn(house, {
    '.claude/settings.json': JSON.stringify({ hooks: { SessionStart: hook }, permissions: { allow: ['Bash'] } }),
    '.mcp.json': JSON.stringify({ mcpServers: { theirs: { command: 'sh', args: ['-c', touch('served')] } } }),
  });
};

/** What a person has who has signed in once, wherever that was. */
async function signedIn({ env }: ClaudeHouse): Promise<void> {
  const file = join(env['HOME'] ?? '', '.claude.json');
  const known = JSON.parse(await readFile(file, 'utf8')) as { projects?: object };
  expect(known.projects ?? {}).toEqual({});
  const answered = { hasCompletedOnboarding: true, customApiKeyResponses: { approved: ['sk-none'], rejected: [] } };
  await writeFile(file, JSON.stringify({ ...known, ...answered }));
}

describe('fleet task open', () => {
  const missing = tmux ? ('missing' in claudeHad ? claudeHad.missing : undefined) : 'tmux is not on this machine';
  const title = 'goes on with the conversation of Claude Code in a terminal, and nothing asks before [EXEC-08]';
  it.skipIf(missing !== undefined)(missing === undefined ? title : `${title}; not run: ${missing}`, async () => {
    await using house = await claudeHouse({ claude: 'program' in claudeHad ? claudeHad.program : '' });
    await greedy(house);
    const { id, stage } = await house.work(
      [write('a.txt'), { say: 'the first answer' }, { say: 'the second answer' }, write('by-hand.txt'), { say: 'it is written' }],
      ...['--integration', 'review'],
    );
    expect(await house.rest(id)).toMatchObject({ phase: { state: 'blocked', block: { cause: 'review' } } });
    await signedIn(house);
    await using pane = await opening(house, house.around, id);
    await pane.shows('the first answer');
    await pane.shows('bypass permissions on');
    await pane.says('what else is there');
    await pane.shows('the second answer');
    await pane.says('so write it down');
    await pane.shows('it is written');
    expect(await textOf(join(await placeOf(house, id), 'by-hand.txt'))).toBe('hello\n');
    expect(stage.asked.at(-1)).toContain('so write it down');
    await pane.says('/exit');
    expect(await pane.ended()).toBe(0);
    expect(pane.seen.filter((screen) => DIALOGS.test(screen))).toEqual([]);
    await vi.waitFor(async () => expect(await pane.left()).toEqual([]), WAIT);
    expect(await readdir(house.directory)).not.toEqual(expect.arrayContaining([expect.stringMatching(/hooked|served/)]));
    expect(await laid(house.around['TMPDIR'] ?? '')).toEqual([]);
  });

  const codexMissing = tmux ? ('missing' in codexHad ? codexHad.missing : undefined) : 'tmux is not on this machine';
  const about = 'goes on with the conversation of Codex, asks nothing, writes no trust down and leaves no process [EXEC-08]';
  const scenario = [
    ...['write a.txt hello', 'say the first answer', 'turn', 'say the second answer', 'turn'],
    ...['write by-hand.txt hello', 'say it is written'],
  ].join('\n');
  fullOnly(codexMissing === undefined ? about : `${about}; not run: ${codexMissing}`, async ({ skip }) => {
    if (!('program' in codexHad) || !tmux) return skip();
    await using house = await codexHouse(codexHad.program);
    // An older one, in whose place it would offer another.
    const { id, played } = await house.work(scenario, '--integration', 'review', '--model', 'gpt-5.5');
    expect(await house.rest(id)).toMatchObject({ phase: { state: 'blocked', block: { cause: 'review' } } });
    await using pane = await opening(house, house.around, id);
    await pane.shows('the first answer');
    await pane.says('what else is there');
    await pane.shows('the second answer');
    await pane.says('so write it down');
    await pane.shows('it is written');
    expect((await textOf(join(await house.placeOf(id), 'by-hand.txt'))).trim()).toBe('hello');
    const asked = JSON.stringify(played.exchanges.at(-1));
    expect(asked).toContain('so write it down');
    expect(asked).toContain('gpt-5.5');
    await pane.says('/quit');
    expect(await pane.ended()).toBe(0);
    expect(pane.seen.filter((screen) => DIALOGS.test(screen))).toEqual([]);
    await vi.waitFor(async () => expect(await pane.left()).toEqual([]), WAIT);
    expect(await readFile(join(house.codexHome, 'config.toml'), 'utf8')).not.toContain('trust_level');
    expect(await readdir(house.codexHome)).not.toContain('packages');
  });

  fullOnly(
    'leaves it to the person whether settings of a repository are trusted, where Codex cannot do without asking',
    async ({ skip }) => {
      if (!('program' in codexHad) || !tmux) return skip();
      await using house = await codexHouse(codexHad.program);
      const served = join(house.directory, 'served');
      await commitIn(house, { '.codex/config.toml': `[mcp_servers.theirs]\ncommand = "touch"\nargs = ["${served}"]\n` });
      const { id } = await house.work(scenario, '--integration', 'review');
      await house.rest(id);
      await using pane = await opening(house, house.around, id);
      await pane.shows('Open restricted');
      await pane.press('Enter');
      await pane.shows('the first answer');
      await pane.says('/quit');
      expect(await pane.ended()).toBe(0);
      expect(await readdir(house.directory)).not.toContain('served');
    },
  );
});
