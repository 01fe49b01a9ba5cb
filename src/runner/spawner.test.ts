import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bootIdSync, statSync } from '../platform/proc.ts';
import { defined, exitOf, Ground, heard, patiently, writeProgram } from './fixtures/ground.ts';
import { defaultHelperUrl } from './helper-url.ts';
import { prepareRunDirectory, stateOf } from './run-directory.ts';
import { openSpawner } from './spawner.ts';
import { endRun } from './terminate-tree.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await Ground.open();
});
afterEach(() => ground.expectNobody());
afterAll(() => ground.close());

describe('a start', () => {
  it('works for fifty at once, each with its own code', async () => {
    const runs = await Promise.all(Array.from({ length: 50 }, (_, n) => ground.start(`echo ${n}; exit ${n}`)));
    expect((await Promise.all(runs.map(exitOf))).map(({ code }) => code)).toEqual(runs.map((_, n) => n));
  });

  it('is refused in words when the directory is missing or the arguments are too long', async () => {
    const elsewhere = join(ground.home, 'nowhere');
    await expect(ground.start('', { workDirectory: elsewhere })).rejects.toMatchObject({
      code: 'ENOENT',
      message: `the directory ${elsewhere} is missing`,
    });
    await expect(ground.start('', { args: ['x'.repeat(4_000_000)] })).rejects.toMatchObject({ code: 'E2BIG' });
    expect(await exitOf(await ground.start('exit 2'))).toEqual({ code: 2 });
  });
});

describe('the helper', () => {
  it('is replaced when it dies, before, between and during starts; no start is lost or doubled', async () => {
    const runs = Array.from({ length: 40 }, (_, n) => ground.spec(`echo ${n} >> ledger; exit ${n}`));
    await Promise.all(runs.map((run) => prepareRunDirectory(run)));
    await Promise.all(
      runs.map(async (run, n) => {
        const started = ground.spawner.start(run);
        if (n % 10 === 0) killHelper();
        await started;
      }),
    );
    expect((await Promise.all(runs.map(exitOf))).map(({ code }) => code)).toEqual(runs.map((_, n) => n));
    killHelper();
    const after = await ground.start('cat ledger | sort -n | tr "\\n" " "; exit 50');
    expect(await exitOf(after)).toEqual({ code: 50 });
    expect(await heard(after, /39/)).toBe(`${runs.map((_, n) => n).join(' ')} `);
    expect(ground.log.length).toBeGreaterThan(0);
  });

  it('that never works is given up with its reason, and asked again by the next start', async () => {
    const broken = await writeProgram(join(ground.home, 'broken.mjs'), 'process.exit(3);');
    const spawner = openSpawner({
      shim: ground.shim,
      helperUrl: pathToFileURL(broken),
      restartAfterMs: [0, 10, 20],
      log: () => {},
    });
    const run = ground.spec('exit 0');
    await prepareRunDirectory(run);
    await expect(spawner.start(run)).rejects.toMatchObject({ code: 'HELPER', message: expect.stringContaining('exit 3') });
    expect(await stateOf(run)).toBe('unclaimed');
    await spawner.close();
    await expect(spawner.start(run)).rejects.toThrow('the spawner is closed');
  });

  it('ends with its parent and takes no agent with it', async () => {
    const helper = spawn(process.execPath, [fileURLToPath(defaultHelperUrl())], { stdio: ['pipe', 'pipe', 'inherit'] });
    const run = ground.spec('echo ready; while [ ! -e go ]; do sleep 0.02; done; exit 4');
    await prepareRunDirectory(run);
    const env = { ...run.env, FLEET_RUN_ID: run.id, FLEET_RUN_MARK: run.mark };
    const args = [ground.shim, run.directory, 'oneway', bootIdSync(), '', run.command, ...run.args];
    helper.stdin.write(
      `${JSON.stringify({ n: 1, steps: [], start: { file: '/bin/sh', args, workDirectory: ground.home, env } })}\n`,
    );
    await heard(run, 'ready');
    helper.kill('SIGTERM');
    helper.stdin.end();
    expect(await once(helper, 'exit')).toEqual([0, null]);
    await writeProgram(join(ground.home, 'go'), '');
    expect(await exitOf(run)).toEqual({ code: 4 });
  });

  it('holds no descriptor and leaves no zombie per agent', async () => {
    const helper = defined(ground.spawner.helperPid());
    await exitOf(await ground.start('exit 0'));
    const before = readdirSync(`/proc/${helper}/fd`).length;
    const runs = await Promise.all(Array.from({ length: 30 }, () => ground.start('exec sleep 1000')));
    expect(readdirSync(`/proc/${helper}/fd`).length).toBeLessThanOrEqual(before);
    await Promise.all(runs.map((run) => endRun(run, { graceMs: 0, hardMs: 5_000 })));
    await patiently(() => expect(zombiesOf(helper)).toEqual([]));
  });
});

function killHelper(): void {
  const pid = ground.spawner.helperPid();
  // Only a child of ours that has not been waited for can have this pid.
  if (pid !== undefined && statSync(pid)?.parent === process.pid) process.kill(pid, 'SIGKILL');
}

/** The kernel's own list of children is not everywhere, so everybody is asked for their parent. */
const zombiesOf = (parent: number): string[] =>
  readdirSync('/proc').filter((name) => /^\d+$/.test(name) && statusOf(name) === `Z ${parent}`);

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .slice(0, 2)
      .join(' ');
  } catch {
    return '';
  }
}
