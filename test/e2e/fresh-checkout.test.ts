import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { committedFiles } from '../../tools/checks/files.ts';
import { claude } from '../clis/claude.ts';
import { had } from '../clis/install.ts';

const root = dirname(dirname(import.meta.dirname));
const run = promisify(execFile);
const MINUTES = 60_000;

/** What a clone would hold, in a directory of its own, with nothing installed and an empty home. */
function freshCheckout() {
  const place = mkdtempSync(join(tmpdir(), 'fresh-'));
  const path = join(place, 'a checkout');
  for (const name of committedFiles(root)) cpSync(join(root, name), join(path, name));
  const home = join(place, 'home');
  const bin = join(place, 'bin');
  mkdirSync(home);
  mkdirSync(bin);
  symlinkSync(join(path, 'fleet'), join(bin, 'fleet'));
  const { FLEET_HOME: _home, ...inherited } = process.env;
  const env = { ...inherited, HOME: home, FLEET_PORT: '0', TMPDIR: place, PATH: `${bin}:${process.env['PATH']}`, NO_COLOR: '1' };
  return { path, home, env, [Symbol.dispose]: () => rmSync(place, { recursive: true, force: true }) };
}

/** Every block of commands a document shows, in order. */
const commandsIn = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^```sh\n(.*?)^```/gms)].map((match) => match[1] ?? '');

describe('a fresh checkout with an empty home', () => {
  it('sets itself up once, starts, and runs every command of the README', async () => {
    using checkout = freshCheckout();
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    const fleet = (...args: string[]) => run('fleet', args, { env: checkout.env, cwd: tmpdir() });

    // Two at once on first use: one installs, the other waits for it.
    const [first, second] = await Promise.all([fleet('--version'), fleet('--version')]);
    expect([first.stdout.trim(), second.stdout.trim()]).toEqual([version, version]);
    expect(`${first.stderr}${second.stderr}`.match(/packages installed/g)).toHaveLength(1);
    expect(await fleet('--version')).toEqual({ stdout: `${version}\n`, stderr: '' });

    const started = spawn('npm', ['start'], {
      cwd: checkout.path,
      env: checkout.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let said = '';
    for (const stream of [started.stdout, started.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => void (said += text));
    try {
      await vi.waitFor(() => expect(said).toContain('fleet is up'), { timeout: 2 * MINUTES, interval: 50 });
      await vi.waitFor(async () => expect((await fleet('status', '--json')).stdout).toContain('"running":true'), {
        timeout: MINUTES,
        interval: 100,
      });
    } finally {
      // npm does not pass signals on to what it started when it is not in a terminal.
      if (started.pid) process.kill(-started.pid, 'SIGTERM');
      await new Promise((resolve) => (started.exitCode === null ? started.once('close', resolve) : resolve(undefined)));
    }

    const { shop, firstTask: _, rehearsal: __, rest } = walk();
    // Nothing signed in is needed for these. `doctor` may find that no agent is there, and says so by its exit code.
    const doctor = await run('bash', ['-c', 'fleet doctor || true'], { env: checkout.env, cwd: tmpdir() });
    expect(doctor.stdout).toContain('EXECUTOR');
    const stdout = await inShell([shop, ...rest], checkout);
    for (const words of [
      'proved by the gate',
      'added shop',
      'Write the parser',
      'Review the parser',
      'stamp.txt (new)',
      'parser and tests',
      '✓ npm test',
    ])
      expect(stdout).toContain(words);
    expect(await logOf(checkout.home)).toBe('Stamp it\n');
  });
});

/** The blocks of commands in the README: the first steps, and the five things to try. */
function walk() {
  const [shop = '', firstTask = '', rehearsal = '', ...rest] = commandsIn(join(root, 'README.md'));
  expect(rest).toHaveLength(5);
  return { shop, firstTask, rehearsal, rest };
}

/** One shell for all of them, as a reader would have; the first failing command fails the test. */
async function inShell(
  blocks: readonly string[],
  { env, home }: { env: NodeJS.ProcessEnv; home: string },
  around: readonly string[] = [],
) {
  const [command, ...args] = [...around, 'bash', '-c', ['set -euo pipefail', ...blocks].join('\n')];
  return (await run(command, args, { cwd: home, env })).stdout;
}

const logOf = async (home: string) =>
  (await run('git', ['log', '-1', '--format=%s', 'main'], { cwd: join(home, 'code', 'shop') })).stdout;

const found = await had(claude);
const withClaude = (title: string, body: (program: string) => Promise<void>) =>
  'program' in found ? it(title, () => body(found.program)) : it.skip(`${title}; not run: ${found.missing}`, () => {});

/** An empty home, `fleet` of this checkout and the real agent on the path. */
function newcomer(program: string) {
  const home = mkdtempSync(join(tmpdir(), 'newcomer-'));
  const bin = join(home, 'bin');
  mkdirSync(bin);
  symlinkSync(join(root, 'fleet'), join(bin, 'fleet'));
  symlinkSync(program, join(bin, 'claude'));
  const { FLEET_HOME: _home, ...inherited } = process.env;
  const env = { ...inherited, HOME: home, FLEET_PORT: '0', PATH: `${bin}:${process.env['PATH']}`, NO_COLOR: '1' };
  return { home, env, [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }) };
}

describe('the first steps of the README with the real Claude Code', () => {
  withClaude('land the first task when it was approved', async (program) => {
    using at = newcomer(program);
    const { shop, firstTask } = walk();
    const stop = "trap 'fleet up --stop' EXIT";
    const stdout = await inShell([stop, shop, firstTask], at, ['fleet', 'simulate', 'happy', '--']);
    expect(stdout).toContain('hello.txt');
    expect(await logOf(at.home)).toBe('Write hello.txt with a greeting in it\n');
  });

  withClaude('work without a key', async (program) => {
    using at = newcomer(program);
    const { shop, rehearsal } = walk();
    const [makes] = shop.split('fleet project add');
    const stdout = await inShell([makes ?? '', rehearsal], at);
    expect(stdout).toContain('✓ npm test');
    expect(await logOf(at.home)).toBe('Write hello.txt\n');
  });
});
