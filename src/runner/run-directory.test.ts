import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundlePrograms } from '../platform/bundle.ts';
import { bootIdSync, statSync } from '../platform/proc.ts';
import { defined, exitOf, Ground, heard, identityOf, patiently } from './fixtures/ground.ts';
import { signalShimSync, signalSync } from './members.ts';
import { arbitrate, prepareRunDirectory, stateOf } from './run-directory.ts';
import { readExit, readIdentity } from './run-facts.ts';
import { filesOf, marksOf, type RunFiles } from './run-place.ts';
import { endRun } from './terminate-tree.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await Ground.open();
});
afterEach(() => ground.expectNobody());
afterAll(() => ground.close());

const sweep = (run: RunFiles) => endRun(run, { graceMs: 0, hardMs: 5_000 });

describe('the state of a run', () => {
  it('is unclaimed before a shim came, and never when a supervisor was faster', async () => {
    const run = ground.spec('echo ran > ran');
    expect(await stateOf(run)).toBe('unclaimed');
    await prepareRunDirectory(run);
    expect(await stateOf(run)).toBe('unclaimed');
    expect(await arbitrate(run)).toBe('won');
    expect(await arbitrate(run)).toBe('lost');
    expect(await stateOf(run)).toBe('never');
    const { pid } = await ground.spawner.start(run);
    await patiently(() => expect(statSync(pid)).toBeUndefined());
    expect(await readdir(run.directory)).not.toContain('id');
    expect(await readdir(ground.home)).not.toContain('ran');
    expect(await stateOf(run)).toBe('never');
  });

  it('is alive, then ended', async () => {
    const run = await ground.start('while [ ! -e go ]; do sleep 0.02; done');
    await identityOf(run);
    expect(await stateOf(run)).toBe('alive');
    expect(await arbitrate(run)).toBe('lost');
    await writeFile(join(ground.home, 'go'), '');
    await exitOf(run);
    expect(await stateOf(run)).toBe('ended');
  });

  it('is dead when the shim was killed, while its agent may live', async () => {
    const run = await ground.start('echo ready; exec sleep 1000');
    await heard(run, 'ready');
    const { shim, agent } = await identityOf(run);
    signalShimSync(run, shim, 'shim', 'SIGKILL');
    await patiently(async () => expect(await stateOf(run)).toBe('dead'));
    expect(statSync(agent.pid)?.started).toBe(agent.started);
    expect(await sweep(run)).toEqual({ how: 'killed', processes: 1 });
  });

  it('is starting while the shim has claimed and not yet said who the agent is', async () => {
    const run = ground.spec('');
    await prepareRunDirectory(run);
    await using stranger = await sleeper(marksOf(run));
    await writeFile(filesOf(run).claim, `shim ${stranger.pid} ${stranger.started} ${bootIdSync()}\n`);
    expect(await stateOf(run)).toBe('starting');
    await truncate(filesOf(run).claim);
    expect(await stateOf(run)).toBe('starting');
    signalSync(stranger, 'SIGKILL');
    await patiently(async () => expect(await stateOf(run)).toBe('never'));
  });

  it('is starting while the shim that was just started has not claimed, and only if that process is the shim', async () => {
    const [run, other] = [ground.spec(''), ground.spec('')];
    await prepareRunDirectory(run);
    await using shim = await sleeper(marksOf(run));
    expect(await stateOf(run, { shimPid: shim.pid })).toBe('starting');
    expect(await stateOf(other, { shimPid: shim.pid })).toBe('unclaimed');
    expect(await arbitrate(run)).toBe('won');
    expect(await stateOf(run, { shimPid: shim.pid })).toBe('never');
    signalSync(shim, 'SIGKILL');
  });

  it('takes torn facts for missing ones', async () => {
    const run = ground.spec('');
    await prepareRunDirectory(run);
    for (const torn of ['', '1 2', '300 - \n', '12 345 678\n', 'x\n', '0 - ']) {
      await writeFile(filesOf(run).exit, torn);
      await writeFile(filesOf(run).id, torn);
      expect(await readExit(run)).toBeUndefined();
      expect(await readIdentity(run)).toBeUndefined();
    }
    expect(await stateOf(run)).toBe('unclaimed');
  });

  it('does not forget a living agent whose run directory was deleted', async () => {
    const run = await ground.start('echo ready; exec sleep 1000');
    await heard(run, 'ready');
    await rm(run.directory, { recursive: true });
    expect(await stateOf(run)).toBe('starting');
    await sweep(run);
  });
});

describe('a process that is not ours', () => {
  it('is neither adopted nor signalled, whatever its pid [R6]', async () => {
    await using stranger = await sleeper({});
    const { pid, started } = stranger;
    const early = String(Number(started) - 1);
    const boot = bootIdSync();
    const records = [
      `1 ${pid} ${early} ${pid} ${early} ${boot} - -`,
      `1 ${pid} ${started} ${pid} ${started} ${boot} - -`,
      `1 ${pid} ${started} ${pid} ${started} ${boot} ${pid} ${started}`,
      `1 1 0 1 0 ${boot} - -`,
    ];
    for (const record of records) {
      const run = ground.spec('');
      await prepareRunDirectory(run);
      await writeFile(filesOf(run).claim, `shim ${pid} ${started} ${boot}\n`);
      await writeFile(filesOf(run).id, `${record}\n`);
      await writeFile(filesOf(run).cgroup, '/sys/fs/cgroup/unified\n');
      expect(await stateOf(run)).toBe('dead');
      expect(await endRun(run, { graceMs: 10, hardMs: 10 })).toEqual({ how: 'quiet', processes: 0 });
    }
    expect(await stranger.signals()).toEqual([]);
  });

  it('is left alone after a reboot, even with everything else the same [R5]', async () => {
    const run = await ground.start(`trap 'echo signalled' TERM; echo ready; while :; do sleep 0.05; done`);
    await heard(run, 'ready');
    const bootIdPath = join(ground.home, 'boot-id');
    await writeFile(bootIdPath, '00000000-0000-0000-0000-000000000000\n');
    expect(await stateOf(run, { bootIdPath })).toBe('dead');
    expect(await endRun(run, { graceMs: 50, hardMs: 50, bootIdPath })).toEqual({ how: 'quiet', processes: 0 });
    expect(await stateOf(run)).toBe('alive');
    expect(await heard(run, 'ready')).toBe('ready\n');
    await sweep(run);
  });

  it('is told apart when it got the very pid of an agent that died [R6]', async ({ skip }) => {
    const program = fileURLToPath(
      new URL('pid-reuse.mjs', bundlePrograms({ 'pid-reuse': new URL('./fixtures/pid-reuse.ts', import.meta.url) })),
    );
    const inNamespace = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'];
    const inside = (...command: string[]) => promisify(execFile)('unshare', [...inNamespace, ...command]);
    const canChoose = await inside('sh', '-c', 'echo 100 > /proc/sys/kernel/ns_last_pid').then(
      () => true,
      () => false,
    );
    if (!canChoose) return skip('this kernel lets nobody choose the next pid');
    const ran = await inside(process.execPath, program, ground.home);
    expect(JSON.parse(ran.stdout)).toEqual({ before: 'alive', pidAloneIsFooled: true, after: 'dead', strangerLives: true });
  });
});

it('is won by exactly one of shim and recovering supervisor, in every race', async () => {
  const rounds = Array.from({ length: 100 }, () => ground.spec('exit 0'));
  await Promise.all(rounds.map((run) => prepareRunDirectory(run)));
  const winners = await Promise.all(
    rounds.map(async (run, n) => {
      const started = ground.spawner.start(run);
      // From before the request is read to after the shim has come.
      for (let turn = 0; turn < n % 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      if (n % 2 === 1) await started;
      const verdict = await arbitrate(run);
      const { pid } = await started;
      await patiently(() => expect(statSync(pid)).toBeUndefined());
      const exit = await readExit(run);
      expect(exit === undefined).toBe(verdict === 'won');
      return verdict;
    }),
  );
  expect(winners).toContain('won');
  expect(winners).toContain('lost');
});

it('refuses names that lead out of the directory or over its own files', async () => {
  const file = (name: string) => prepareRunDirectory(ground.spec('', { files: [{ name, text: '' }] }));
  for (const name of ['../x', 'a/b', '..', '', 'exit', 'claim'])
    await expect(file(name)).rejects.toThrow('cannot be a file of run');
  await file('prompt.md');
  await expect(prepareRunDirectory({ ...ground.spec(''), id: '../up' })).rejects.toThrow('cannot name a run');
});

/** A process of ours that is no agent, and notes what it is told. */
async function sleeper(env: Record<string, string>) {
  const script = `for s in TERM INT HUP CONT USR1; do trap "echo $s" $s; done; echo ready; while :; do sleep 0.05; done`;
  const child = spawn('sh', ['-c', script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const said: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => said.push(...text.trim().split('\n')));
  const ended = once(child, 'exit');
  await patiently(() => expect(said).toContain('ready'));
  const pid = defined(child.pid);
  return {
    pid,
    started: defined(statSync(pid)?.started),
    signals: async () => said.filter((word) => word !== 'ready'),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
