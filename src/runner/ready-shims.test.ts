import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bootIdSync, statSync } from '../platform/proc.ts';
import { defined, exitOf, Ground, heard, outOf, patiently } from './fixtures/ground.ts';
import { arbitrate, prepareRunDirectory, stateOf } from './run-directory.ts';
import { filesOf, shimMark } from './run-place.ts';
import { openSpawner } from './spawner.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await Ground.open({ inAdvance: true });
});
afterEach(() => ground.expectNobody());
afterAll(() => ground.close());

describe('a shim that waits for work', () => {
  it('starts nothing where somebody else has the claim', async () => {
    const run = ground.spec('echo ran');
    await prepareRunDirectory(run);
    expect(await arbitrate(run)).toBe('won');
    const idle = await ground.shimsReady();
    const { pid } = await ground.spawner.start(run);
    expect(idle).toContain(pid);
    await patiently(() => expect(statSync(pid)).toBeUndefined());
    expect(await outOf(run)).toBe('');
    expect(await stateOf(run)).toBe('never');
  });

  it('starts nothing when its files could not be laid out, and the reason is told', async () => {
    const run = ground.spec('echo ran');
    await ground.shimsReady();
    const steps = [{ lay: 'file', path: join(ground.home, 'no', 'such', 'place'), text: '' }] as const;
    await expect(ground.spawner.start(run, steps)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await stateOf(run)).toBe('unclaimed');
    expect(await exitOf(await ground.start('exit 3'))).toEqual({ code: 3 });
  });

  it('goes when the helper is gone, however that came', async () => {
    const idle = await ground.shimsReady();
    process.kill(defined(ground.spawner.helperPid()), 'SIGKILL');
    await patiently(() => expect(idle.filter((pid) => statSync(pid))).toEqual([]));
    expect(await exitOf(await ground.start('exit 4'))).toEqual({ code: 4 });
  });

  it('leaves to the slow way what a shell cannot be told', async () => {
    const idle = await ground.shimsReady();
    for (const [env, seen] of [
      [{ UID: '7', PATH: '/usr/bin:/bin' }, 'UID=7'],
      [{ BIG: 'x'.repeat(110_000), PATH: '/usr/bin:/bin' }, 'BIG=x'],
    ] as const) {
      const run = ground.spec('env', { env });
      await prepareRunDirectory(run);
      const { pid } = await ground.spawner.start(run);
      expect(idle).not.toContain(pid);
      await exitOf(run);
      expect(await outOf(run)).toContain(seen);
    }
    await expect(ground.spawner.start(ground.spec('exit 0', { workDirectory: join(ground.home, 'gone') }))).rejects.toMatchObject(
      {
        code: 'ENOENT',
        message: expect.stringContaining('gone is missing'),
      },
    );
  });

  it('hands on no descriptor, no variable and no directory of its own', async () => {
    const place = join(ground.home, "a 'strange' $place");
    await mkdir(place);
    const asked = {
      workDirectory: place,
      env: { PATH: '/usr/bin:/bin', PWD: '/elsewhere', 'not.a.name': 'x', QUOTES: `'"\`$(exit)\\` },
    };
    const script =
      'ls /proc/self/fd; pwd; env | grep -v FLEET_RUN_ID | sort; umask; ulimit -a; cat /proc/self/status | grep Sig | grep -v SigQ';
    const run = await ground.start(script, asked);
    const slow = openSpawner({ shim: ground.shim, log: () => undefined });
    const other = ground.spec(script, asked);
    await prepareRunDirectory(other);
    await slow.start(other);
    await Promise.all([exitOf(run), exitOf(other)]);
    await slow.close();
    expect(await outOf(run)).toBe(await outOf(other));
    expect(await outOf(run)).toContain(`PWD=${place}\n`);
    const helper = defined(ground.spawner.helperPid());
    const before = readdirSync(`/proc/${helper}/fd`).length;
    for (let n = 0; n < 5; n += 1) await exitOf(await ground.start('exit 0'));
    await ground.shimsReady();
    await patiently(() => expect(readdirSync(`/proc/${helper}/fd`).length).toBeLessThanOrEqual(before + 2));
  });
});

it('a shim that was killed before its child was the agent leaves a run that may still be running', async () => {
  const run = ground.spec('');
  await prepareRunDirectory(run);
  const shim = spawn('/bin/sh', ['-c', '(while :; do read -r line < /proc/self/stat; done); exit 0'], {
    env: shimMark(ground.mark),
    stdio: 'ignore',
    detached: true,
  });
  const pid = defined(shim.pid);
  const { started } = defined(statSync(pid));
  await writeFile(filesOf(run).claim, `shim ${pid} ${started} ${bootIdSync()}\n`);
  expect(await stateOf(run)).toBe('starting');
  const other = ground.spec('');
  await prepareRunDirectory(other);
  expect(await stateOf(other)).toBe('unclaimed');
  const child = await patiently(() =>
    defined(
      readdirSync('/proc')
        .map(Number)
        .find((one) => one > 0 && statSync(one)?.parent === pid),
    ),
  );
  const ended = once(shim, 'exit');
  shim.kill('SIGKILL');
  await ended;
  expect(await stateOf(run)).toBe('dead');
  process.kill(child, 'SIGKILL');
  await patiently(async () => expect(await stateOf(run)).toBe('never'));
});

it('an agent of one that waited can be heard, sent to and ended like any other', async () => {
  const run = await ground.start('read -r line; echo "heard $line"', { mode: 'twoway' });
  await writeFile(filesOf(run).in, 'a word\n');
  await heard(run, 'heard a word');
  expect(await exitOf(run)).toEqual({ code: 0 });
});
