import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { committedFiles } from '../../tools/checks/files.ts';

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

    const shop = join(checkout.home, 'code', 'shop');
    mkdirSync(shop, { recursive: true });
    const git = (...args: string[]) =>
      run('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', ...args], { cwd: shop, env: checkout.env });
    await git('init', '-q', '-b', 'main');
    writeFileSync(join(shop, 'package.json'), '{ "scripts": { "test": "test -s package.json" } }\n');
    await git('add', '.');
    await git('commit', '-q', '-m', 'first');
    const [, ...blocks] = commandsIn(join(root, 'README.md'));
    expect(blocks).toHaveLength(5);
    // One shell for all of them, as a reader would have; the first failing command fails the test.
    const script = ['set -euo pipefail', ...blocks].join('\n');
    const { stdout } = await run('bash', ['-c', script], { cwd: checkout.home, env: checkout.env });
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
    expect((await git('log', '-1', '--format=%s', 'main')).stdout).toBe('Stamp it\n');
  });
});
