import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acpClis } from '../../clis/acp-clis.ts';
import { codex } from '../../clis/codex.ts';
import { had } from '../../clis/install.ts';
import { fullOnly, inFullRun } from '../../full-only.ts';
import { agentHouse } from '../../support/agent-house.ts';
import { withVault } from '../../support/declared-servers.ts';
import { type ClaudeHouse, claudeHouse } from './claude-house.ts';
import { engines, inPlace } from './claude-table.ts';
import { codexHouse } from './codex-house.ts';

describe.each(engines)('the real Claude Code by its $engine', ({ programs, short, long }) => {
  let house: ClaudeHouse;
  beforeAll(async () => {
    if (programs.claude !== '') house = await claudeHouse(programs);
  });
  afterAll(async () => house?.[Symbol.asyncDispose]());

  short('calls a tool of a server of the project, and a broken server does not stop it [AUTO-08] [EXEC-07]', async () => {
    const vault = await withVault(house);
    const { id, stage } = await house.work(
      [
        { call: 'ToolSearch', with: { query: 'select:mcp__vault__reveal', max_results: 1 } },
        { call: 'reveal', with: {} },
        { say: 'done' },
      ],
      ...inPlace,
    );
    expect(await house.rest(id)).toMatchObject({ phase: { state: 'done' }, attempts: 1 });
    expect(stage.asked.at(-1)).toContain(`it ends with ${vault.secret.slice(-4)}`);
    expect(await vault.left()).toBe(vault.secret);
    expect(await vault.leaks()).toEqual([]);
    expect((await house.ok(['task', 'events', id, '--json'])).out).toContain('MCP server broken is not there for this run');
  });

  long('is held to the servers that its tools name [AUTO-08] [EXEC-06]', async () => {
    const vault = await withVault(house);
    const steps = [
      { call: 'ToolSearch', with: { query: 'select:mcp__vault__reveal', max_results: 1 } },
      { call: 'reveal', with: {} },
      { say: 'done' },
    ];
    const held = await house.work(steps, ...inPlace, '--tool', 'Read');
    expect(await house.rest(held.id)).toMatchObject({ phase: { state: 'done' } });
    await expect(vault.left()).rejects.toThrow('ENOENT');
    const named = await house.work(steps, ...inPlace, '--tool', 'Read', '--tool', 'mcp__vault__*');
    expect(await house.rest(named.id)).toMatchObject({ phase: { state: 'done' } });
    expect(await vault.left()).toBe(vault.secret);
  });
});

describe('the real Codex', async () => {
  const found = inFullRun ? await had(codex) : { program: '' };
  const title = 'calls a tool of a server of the project, and a broken server does not stop it [AUTO-08]';
  if ('missing' in found) it.skip(`${title}; not run: ${found.missing}`, () => {});
  else
    fullOnly(title, async () => {
      await using house = await codexHouse(found.program);
      const vault = await withVault(house);
      const { id, played } = await house.work('call reveal {}\nsay done', ...inPlace);
      expect(await house.rest(id)).toMatchObject({ phase: { state: 'done' }, attempts: 1 });
      expect(played.problems).toEqual([]);
      expect(await vault.left()).toBe(vault.secret);
      expect(await vault.leaks()).toEqual([]);
    });
});

const others = await Promise.all(acpClis.map(async (cli) => ({ cli, found: inFullRun ? await had(cli) : { program: '' } })));

describe.each(others)('the real $cli.title', ({ cli, found }) => {
  const title = 'calls a tool of a server of the project, and a broken server does not stop it [AUTO-08]';
  // Its model has to look its tools up first, which the simulated one does not know how to.
  if (cli.name === 'qwen') it.skip(`${title}; it cannot: it looks its tools up`, () => {});
  else if ('missing' in found) it.skip(`${title}; not run: ${found.missing}`, () => {});
  else
    fullOnly(title, async () => {
      await using house = await agentHouse(cli, found.program, { scenario: 'call reveal {}\nsay done' });
      await house.wake();
      const vault = await withVault(house);
      const id = await house.task('Look it up.', '--no-expects-changes', '--integration', 'none');
      expect(await house.rested([id], 300)).toMatchObject([{ phase: { state: 'done' }, attempts: 1 }]);
      expect(house.played.problems).toEqual([]);
      expect(await vault.left()).toBe(vault.secret);
      expect(await vault.leaks()).toEqual([]);
    });
});
