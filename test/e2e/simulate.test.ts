import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { root } from '../../tools/paths.mjs';
import type { AgentCli } from '../clis/agent-cli.ts';
import { claude } from '../clis/claude.ts';
import { codex } from '../clis/codex.ts';
import { had } from '../clis/install.ts';
import { fullOnly, inFullRun } from '../full-only.ts';
import { type CliHouse, cliHouse } from '../support/cli-house.ts';

const FLEET = join(root, 'dist', 'fleet.mjs');
const guide = await readFile(join(root, 'docs', 'guide', 'simulate.md'), 'utf8');

/** A house in which `fleet`, and an agent where one is given, are found by their names. */
async function houseWith(program?: { readonly name: string; readonly path: string }): Promise<CliHouse & { path: string }> {
  const house = await cliHouse();
  const bin = join(house.directory, 'bin');
  await mkdir(bin);
  await symlink(FLEET, join(bin, 'fleet'));
  if (program) await symlink(program.path, join(bin, program.name));
  return { ...house, path: [bin, dirname(process.execPath), house.env['PATH']].join(delimiter) };
}

const inShell = async (house: CliHouse & { path: string }, script: string, ...args: string[]): Promise<string> => {
  const env = { ...house.env, PATH: house.path, IS_SANDBOX: '1', TMPDIR: join(house.directory, 'tmp') };
  await mkdir(env.TMPDIR, { recursive: true });
  const started = promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script, 'bash', ...args], { cwd: house.directory, env });
  started.child.stdin?.end();
  return (await started).stdout;
};

describe('the guide to rehearsals', () => {
  it('has only commands that work', async () => {
    await using house = await houseWith();
    const blocks = [...guide.matchAll(/^```sh\n(.*?)^```/gms)].map((match) => match[1] ?? '');
    expect(blocks.length).toBeGreaterThanOrEqual(2);
    const out = await inShell(house, blocks.join('\n'));
    expect(out).toContain('rate-limit-always');
    expect(out).toContain('{"input_tokens":1}');
  });
});

async function offered(cli: AgentCli) {
  const found = inFullRun ? await had(cli) : { program: '' };
  const test = (title: string, body: (program: string) => Promise<void>) =>
    'program' in found ? fullOnly(title, () => body(found.program)) : it.skip(`${title}; not run: ${found.missing}`, () => {});
  return { cli, test };
}

describe.each([await offered(claude), await offered(codex)])('the real $cli.title in a rehearsal', ({ cli, test }) => {
  test('writes a file by the line that the guide gives for it [EXEC-03]', async (program) => {
    await using house = await houseWith({ name: cli.name, path: program });
    const row = guide.split('\n').find((line) => line.startsWith(`| ${cli.title} |`));
    const line = /`(.+)`/.exec(row ?? '')?.[1] ?? 'false';
    expect(await inShell(house, line)).toContain('hello.txt is written.');
    expect(await readFile(join(house.directory, 'hello.txt'), 'utf8')).toBe('hello from a simulated model\n');
  });

  test('works for a whole fleet: a task, a report over MCP, a landing [EXEC-03]', async (program) => {
    await using house = await houseWith();
    const repo = await house.repository('shop');
    const executors = `${house.home}-rehearsal/executors`;
    await mkdir(executors, { recursive: true });
    const command = [program, ...cli.headless({ fleet: 'of the run' }), '{prompt}'];
    await writeFile(join(executors, `${cli.name}.toml`), `command = ${JSON.stringify(command)}\noutput = "jsonl"\n${cli.rules}`);
    await writeFile(
      join(house.directory, 'rehearse.sh'),
      `set -euo pipefail
fleet up --background >&2
trap 'fleet up --stop >&2' EXIT
fleet project add ${repo.replaceAll(' ', String.raw`\ `)} --executor ${cli.name} --integration auto >&2
id=$(fleet task create --project shop --prompt 'Write hello.txt.' --json | node -p 'JSON.parse(require("fs").readFileSync(0)).id')
fleet task wait "$id" --timeout 900 >&2
fleet task report "$id" --json
`,
    );
    const out = await inShell(house, 'fleet simulate happy -- bash rehearse.sh');
    expect(JSON.parse(out)).toMatchObject({ reports: [{ channel: 'mcp', summary: 'hello.txt is written' }] });
    expect((await house.git(repo, 'show', 'main:hello.txt')).out).toBe('hello from a simulated model\n');
  });
});
