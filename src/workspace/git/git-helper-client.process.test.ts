import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bundlePrograms } from '../../platform/bundle.ts';
import { statSync } from '../../platform/proc.ts';
import { within } from '../locks/within.ts';
import { callGit, openGitHelperClient } from './git-helper-client.ts';
import type { GitCall } from './spawn-git.ts';

const MB = 1024 * 1024;
let place: string;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'fleet helper '));
  await promisify(execFile)('git', ['init', '-q', place]);
});
afterAll(() => rm(place, { recursive: true }));

const call = (args: readonly string[], more: Partial<GitCall> = {}): GitCall => ({
  args,
  cwd: place,
  env: { PATH: process.env['PATH'], HOME: place, LC_ALL: 'C' },
  maxBytes: MB,
  ...more,
});

/** A program as git starts one by an alias: it prints, reads, waits or fails as the test wants. */
const alias = (script: string, more: Partial<GitCall> = {}) => call(['-c', `alias.x=!${script}`, 'x'], { apart: true, ...more });

/** Ends by itself when nobody listens any more. */
const TALKS = 'while echo on; do sleep 0.05; done';

const childrenOf = (parent: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && statSync(pid)?.parent === parent);

async function bothWays(of: GitCall) {
  const here = await callGit(of);
  const client = openGitHelperClient();
  const there = await callGit(of);
  await client.close();
  expect({ ...there, out: '' }).toEqual({ ...here, out: '' });
  expect(there.out.equals(here.out)).toBe(true);
  return there;
}

/** A program of its own that has started git by its helper, and then goes on like this. */
async function programThat(goesOn: string): Promise<string> {
  const program = join(place, `asks-${randomUUID()}.mjs`);
  const programs = {
    'git-helper-client': new URL('./git-helper-client.ts', import.meta.url),
    'git-helper': new URL('./git-helper.ts', import.meta.url),
  };
  const url = new URL('git-helper-client.mjs', bundlePrograms(programs));
  await writeFile(
    program,
    `import { callGit, openGitHelperClient } from ${JSON.stringify(String(url))};
     const client = openGitHelperClient();
     const env = { PATH: process.env.PATH, HOME: ${JSON.stringify(place)} };
     const call = (args) => callGit({ args, cwd: ${JSON.stringify(place)}, env, maxBytes: 1000 });
     await call(['--version']);
     ${goesOn}`,
  );
  return program;
}

describe('git that is started by another process', () => {
  it('says, reads and ends as git that is started here', async () => {
    const bytes = Buffer.from([0, 255, 10, 13, 128]);
    expect(await bothWays(call(['hash-object', '--stdin'], { input: bytes }))).toMatchObject({ code: 0 });
    expect((await bothWays(alias('cat', { input: bytes }))).out).toEqual(bytes);
    expect(await bothWays(call(['rev-parse', '--verify', 'nothing']))).toMatchObject({
      code: 128,
      err: expect.stringMatching(/./),
    });
    expect(await bothWays(alias('head -c 3000000 /dev/zero'))).toMatchObject({ cut: true });
    expect(await bothWays(alias('exec sleep 30', { timeoutMs: 100 }))).toMatchObject({ late: true });
    expect(await bothWays(call(['status'], { cwd: join(place, 'gone') }))).toMatchObject({ failure: { code: 'ENOENT' } });
  });

  it('goes with its helper, and the next call has a new one', async () => {
    const client = openGitHelperClient();
    try {
      await callGit(call(['--version']));
      const pid = client.pid() ?? 0;
      const waiting = callGit(alias(TALKS));
      process.kill(pid, 'SIGKILL');
      await expect(waiting).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('SIGKILL') });
      expect(await callGit(call(['--version']))).toMatchObject({ code: 0 });
      expect(client.pid()).not.toBe(pid);
    } finally {
      await client.close();
    }
  });

  it('is waited for when it is closed, also by a program that has nothing else to do', async () => {
    const program = await programThat(`await client.close(); process.stdout.write('closed');`);
    expect(await promisify(execFile)(process.execPath, [program])).toMatchObject({ stdout: 'closed' });
  });

  it('that only looks is asked again of the next helper', async () => {
    const bin = join(place, 'slow');
    await mkdir(bin);
    await writeFile(join(bin, 'git'), '#!/bin/sh\necho asked >> asked\nwhile ! test -e go; do sleep 0.05; done\necho answer\n', {
      mode: 0o755,
    });
    const client = openGitHelperClient();
    const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: place };
    const asked = async () => (await readFile(join(place, 'asked'), 'utf8').catch(() => '')).split('\n').length - 1;
    try {
      const looking = callGit(call(['-c', 'a.b=c', 'rev-parse', 'HEAD'], { env }));
      await vi.waitFor(async () => expect(await asked()).toBe(1), 30_000);
      const first = client.pid() ?? 0;
      process.kill(first, 'SIGKILL');
      await vi.waitFor(async () => expect(await asked()).toBe(2), 30_000);
      await writeFile(join(place, 'go'), '');
      expect((await looking).out.toString()).toBe('answer\n');
      expect(client.pid()).not.toBe(first);
    } finally {
      await writeFile(join(place, 'go'), '');
      await client.close();
    }
  });

  it('ends with whoever asked for it, however that came', async () => {
    const program = await programThat(`void call(['-c', ${JSON.stringify(`alias.x=!${TALKS}`)}, 'x']);
       process.stdout.write(client.pid() + '\\n');`);
    const asks = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(asks.stdout.setEncoding('utf8'), 'data')) as [string];
    const helper = Number(line);
    const git = await vi.waitFor(() => {
      const found = childrenOf(helper);
      expect(found.length).toBeGreaterThan(0);
      return found;
    }, 10_000);
    asks.kill('SIGKILL');
    await vi.waitFor(() => expect([helper, ...git].filter((pid) => statSync(pid))).toEqual([]), 10_000);
  });
});

describe('work within a signal', () => {
  it.each([['here'], ['by a helper']])('ends its git when it is aborted %s, and starts no other', async (where) => {
    const client = where === 'here' ? undefined : openGitHelperClient();
    const [controller, began, later] = [new AbortController(), join(place, randomUUID()), join(place, randomUUID())];
    const work = within(controller.signal, async () => {
      await callGit(alias(`echo $$ > '${began}'; exec sleep 600`)).catch(() => undefined);
      await callGit(alias(`touch '${later}'`));
    });
    const pid = await vi.waitFor(async () => {
      const said = Number(await readFile(began, 'utf8'));
      expect(said).toBeGreaterThan(0);
      return said;
    });
    controller.abort(new Error('too late'));
    await expect(work).rejects.toThrow('too late');
    await vi.waitFor(() => expect(statSync(pid)).toBeUndefined());
    await expect(readFile(later)).rejects.toThrow('ENOENT');
    // Whoever is outside goes on.
    expect((await callGit(call(['--version']))).code).toBe(0);
    await client?.close();
  });
});
