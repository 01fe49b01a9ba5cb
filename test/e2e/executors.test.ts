import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { root } from '../../tools/paths.mjs';
import { claude } from '../clis/claude.ts';
import { codex } from '../clis/codex.ts';
import { had } from '../clis/install.ts';
import { fullOnly } from '../full-only.ts';
import { type CliHouse, cliHouse } from '../support/cli-house.ts';

interface Tried {
  readonly checks: readonly { readonly name: string; readonly result: string; readonly why?: string }[];
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const isTrial = (name: string): boolean => name.includes('-trial-');

/** A machine on which Fleet is installed, and nothing else of it can be seen. */
async function follow(house: CliHouse, script: string): Promise<{ code: number; out: string }> {
  const bin = join(house.directory, 'installed');
  await mkdir(bin);
  await writeFile(join(bin, 'fleet'), `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'dist', 'fleet.mjs')}" "$@"\n`, {
    mode: 0o755,
  });
  await symlink(process.execPath, join(bin, 'node'));
  const { FLEET_HOME: _, ...env } = house.env;
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: house.env['HOME'],
    env: { ...env, PATH: `${bin}:/usr/bin:/bin` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => void (out += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code: code ?? -1, out })));
}

describe('a program of the user’s own', () => {
  it('is started by no command that only looks, unless its file says what it prints its version for [EXEC-05]', async () => {
    await using house = await cliHouse();
    await house.ok(['init']);
    const place = join(house.directory, 'where the caller stands');
    await mkdir(place);
    const program = async (name: string) => {
      const path = join(house.directory, name);
      const script = `#!/bin/sh\n{ echo "$@"; pwd; ls -A; env; } >> '${path}.started'\necho ${name} 4.5.6\ntouch left-behind\n`;
      await writeFile(path, script, { mode: 0o755 });
      return path;
    };
    const toml = (name: string, text: string) => writeFile(join(house.home, 'executors', `${name}.toml`), text);
    const [silent, agent, spoken] = [await program('silent'), await program('agent'), await program('spoken')];
    await toml('silent', `command = ["${silent}", "{prompt}"]\n`);
    await toml('agent', `command = ["${agent}"]\nprotocol = "acp"\n`);
    await toml('spoken', `command = ["${spoken}", "{prompt}"]\nversion = ["version", "--short"]\n`);
    const look = { cwd: place, env: { SECRET_API_KEY: 'sk-of-the-caller' } };
    const list = (await house.ok(['executor', 'list', '--json'], look)).json<{ items: { name: string; program?: object }[] }>();
    await house.ok(['executor', 'show', 'silent'], look);
    await house.fleet(['doctor'], look);
    await house.ok(['task', 'create', '--draft', '--directory', place, '--prompt', 'x', '--executor', 'silent'], look);
    await house.ok(['status'], look);
    const of = (name: string) => list.items.find((one) => one.name === name)?.program;
    expect(of('silent')).toEqual({ command: silent, found: true, path: silent });
    expect(of('spoken')).toEqual({ command: spoken, found: true, path: spoken, version: '4.5.6' });
    const marks = (await readdir(house.directory)).filter((name) => name.endsWith('.started'));
    expect(marks).toEqual(['spoken.started']);
    const seen = await readFile(`${spoken}.started`, 'utf8');
    expect(seen).toContain('version --short\n');
    expect(seen).not.toContain(place);
    expect(seen).not.toContain('left-behind');
    expect(seen).not.toContain('sk-of-the-caller');
    expect(await readdir(place)).toEqual([]);
  });

  it('is refused when what it says of its version cannot be arguments', async () => {
    await using house = await cliHouse();
    await house.ok(['init']);
    await writeFile(join(house.home, 'executors', 'odd.toml'), 'command = ["odd"]\nversion = "--version"\n');
    const { out } = await house.ok(['executor', 'show', 'odd']);
    expect(out.replaceAll(/\s+/g, ' ')).toContain('executors/odd.toml: version');
  });
});

describe('fleet executor test', () => {
  it('tries an executor and its program in a place of its own, and leaves nothing of it [EXEC-04]', async () => {
    await using house = await cliHouse();
    const answer = await house.fleet(['executor', 'test', 'scripted', '--json']);
    const { checks, failed } = answer.json<Tried>();
    expect(checks.filter(({ result }) => result === 'failed')).toEqual([]);
    expect({ code: answer.code, failed }).toEqual({ code: 0, failed: 0 });
    expect(checks.filter(({ result }) => result === 'passed').map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'launches',
        'opens a conversation',
        'says what it does',
        'ends with a verdict',
        'does the work',
        'says what it spent',
        'takes a message',
        'is gone after cancel',
        'goes on with its conversation',
        'leaves nothing behind',
      ]),
    );
    expect((await readdir(house.directory)).filter(isTrial)).toEqual([]);
  });

  for (const cli of [claude, codex])
    fullOnly(`tries the real ${cli.title} with a simulated model, and spends nothing [EXEC-04]`, async (context) => {
      await using house = await cliHouse();
      const found = await had(cli);
      if ('missing' in found) return context.skip(found.missing);
      await mkdir(join(house.directory, 'bin'));
      await symlink(found.program, join(house.directory, 'bin', cli.name));
      // Nobody is signed in on this machine, and nobody needs to be.
      const env = { PATH: `${join(house.directory, 'bin')}:${house.env['PATH']}` };
      const answer = await house.fleet(['executor', 'test', cli.name, '--json'], { env });
      const { checks } = answer.json<Tried>();
      expect(checks.filter(({ result }) => result !== 'passed')).toEqual([]);
      expect(checks.map(({ name }) => name)).toContain('keeps to the tools it may use');
      expect(answer.code).toBe(0);
      const spending = await house.fleet(['executor', 'test', cli.name, '--spend', '--json'], { env });
      expect(spending.json<Tried>().checks.at(-1)).toMatchObject({
        result: 'skipped',
        why: expect.stringContaining('not signed in'),
      });
    });

  it('finds what is wrong with one, names it, and ends with 1', async () => {
    await using house = await cliHouse();
    await house.ok(['init']);
    const add = (file: string, text: string) => writeFile(join(house.home, 'executors', file), text, { mode: 0o600 });
    await add(
      'keyed.mjs',
      MODULE('keyed', "launch: () => ({ command: 'true', args: [], env: { OPENAI_API_KEY: 'x' }, files: [], mode: 'oneway' }),"),
    );
    await add('clocked.mjs', MODULE('clocked', 'step: (state) => ({ state: Date.now(), events: [], send: [] }),'));
    await add('torn.mjs', 'export default {');
    await add('away.toml', 'command = ["no-such-agent", "{prompt}"]\n');
    const tried = async (name: string) => {
      const answer = await house.fleet(['executor', 'test', name, '--json']);
      const { checks } = answer.json<Tried>();
      const found = checks.flatMap(({ name: what, result, why = '' }) =>
        result === 'passed' ? [] : `${result} ${what}: ${why}`,
      );
      return { code: answer.code, found: found.join('\n') };
    };
    expect(await tried('keyed')).toEqual({ code: 1, found: expect.stringContaining("failed hands over no provider's key") });
    expect(await tried('clocked')).toEqual({ code: 1, found: expect.stringContaining('Date.now is read') });
    expect(await tried('torn')).toEqual({ code: 1, found: expect.stringMatching(/failed is usable: .*SyntaxError.*edit /) });
    expect(await tried('away')).toEqual({
      code: 0,
      found: expect.stringContaining('skipped runs its program: its program no-such-agent was not found'),
    });
    const unknown = await house.fleet(['executor', 'test', 'tinny']);
    expect(unknown.code).toBe(3);
    expect(unknown.err).toContain('no executor "tinny": known are');
    const text = await house.fleet(['executor', 'test', 'keyed']);
    expect(text.out).toMatch(/✗ hands over no provider's key: .*OPENAI_API_KEY/);
    expect(text.out.trimEnd().split('\n').at(-1)).toMatch(/^\d+ passed, 1 failed, 1 not tried$/);
  });
});

const MODULE = (name: string, more: string) => `export default {
  name: '${name}',
  can: { resume: false, fork: false, steer: false, ask: false, usage: false, context: false, mcp: false, tools: false },
  launch: () => ({ command: 'true', args: [], env: {}, files: [], mode: 'oneway' }),
  begin: () => ({ state: 0, events: [], send: [] }),
  step: (state) => ({ state, events: [], send: [] }),
  say: () => undefined,
  answer: () => undefined,
  exit: () => [],
  ${more}
};
`;

it('the guide to executors can be followed to the letter, outside of the repository [EXEC-04]', async () => {
  await using house = await cliHouse();
  const guide = await readFile(join(root, 'docs/guide/executors.md'), 'utf8');
  const own = guide.slice(0, guide.indexOf('\n## ', guide.indexOf('\n## Write one of your own') + 1) >>> 0);
  // On a machine without an agent doctor ends with 7, as the guide says.
  const steps = [...own.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, step = '']) =>
    step.replace(/^fleet doctor$/m, 'fleet doctor || [ $? = 7 ]'),
  );
  expect(steps.length).toBeGreaterThanOrEqual(7);
  const wait = 'fleet task wait "$(fleet task list --json | node -p "JSON.parse(require(\'fs\').readFileSync(0)).items[0].id")"';
  const { code, out } = await follow(house, [...steps, wait, 'fleet up --stop'].join('\n'));
  expect(code, out).toBe(0);
  expect(out.match(/^\d+ passed, 0 failed/gm), out).toHaveLength(3);
  expect(out).toContain('✓ goes on with its conversation');
  expect(await readFile(join(house.env['HOME'] ?? '', 'notes', 'hello.txt'), 'utf8')).toBe('hello\n');
  expect((await readdir(house.env['HOME'] ?? '')).filter(isTrial)).toEqual([]);
});

fullOnly('the module of the guide fits the types that the package ships [EXEC-04]', async () => {
  await using house = await cliHouse();
  const guide = await readFile(join(root, 'docs/guide/executors.md'), 'utf8');
  const [, module = ''] = /tinier[.]mjs <<'END'\n([^]*?)^END$/m.exec(guide) ?? [];
  const complaints = async (text: string) => {
    const file = join(house.directory, 'checked.mjs');
    await writeFile(file, text);
    const program = ts.createProgram([file], {
      allowJs: true,
      checkJs: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      types: [],
      paths: { 'fleet-agents/executor': [join(root, 'dist/executor.d.ts')] },
    });
    return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
  };
  expect(await complaints(module)).toEqual([]);
  expect((await complaints(module.replace("type: 'said', text", "type: 'sayd', text"))).join()).toContain('sayd');
});
