import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { childrenOf, descriptors, faultHouse, identityOf, isThere, isZombie } from '../fixtures/fault-house.ts';
import { fullOnly, inFullRun } from '../full-only.ts';

const names = (count: number) => Array.from({ length: count }, (_, n) => `a${n}`);

describe('processes that go wrong', () => {
  it('a killed shim loses its run: its agent goes, the task is tried again, the others notice nothing [R3]', async () => {
    await using house = await faultHouse(['max_attempts=2']);
    await house.up();
    // Each waits for a file of its own, so that nothing depends on time.
    const script = 'echo "$FLEET_ATTEMPT" >> ledger\necho ready\nuntil [ -e go ]; do sleep 0.1; done\necho finished\nexit 0';
    const ids = await house.queue(names(10).map((title) => ({ title, script })));
    const place = (title: string, file: string) => join(house.directory, `place of ${title}`, file);
    const first = await vi.waitFor(async () => {
      const all = await house.runs();
      expect(all.filter(({ phase }) => phase.state === 'running')).toHaveLength(10);
      return all;
    }, 30_000);
    const victims = await Promise.all(
      names(3).map(async (title) => {
        const run = first.find(({ taskId }) => taskId === ids.get(title));
        return { title, run: run?.id ?? '', ...(await identityOf(house, run?.id ?? '')) };
      }),
    );
    for (const { shim } of victims) process.kill(shim, 'SIGKILL');
    await vi.waitFor(() => expect(victims.filter(({ agent }) => isThere(agent))).toEqual([]), 5_000);
    await Promise.all(
      victims.map(({ title }) =>
        vi.waitFor(async () => expect(await readFile(place(title, 'ledger'), 'utf8')).toBe('1\n2\n'), 15_000),
      ),
    );
    await Promise.all(names(10).map((title) => writeFile(place(title, 'go'), '')));
    await house.settled(ids.values());
    const runs = await house.runs();
    for (const [title, id] of ids) {
      const outcomes = runs.filter(({ taskId }) => taskId === id).map(({ phase }) => phase.outcome);
      expect({ title, outcomes }).toEqual({ title, outcomes: names(3).includes(title) ? ['lost', 'succeeded'] : ['succeeded'] });
    }
    expect(house.marked()).toEqual([]);
  });

  it('an agent killed by a signal is recorded as that, and tried again by its policy [R4]', async () => {
    await using house = await faultHouse(['max_attempts=2']);
    await house.up();
    const dies = (signal: string) => `[ "$FLEET_ATTEMPT" = 2 ] && exit 0\nkill -${signal} $$\nsleep 60\nexit 0`;
    const ids = await house.queue([
      { title: 'KILL', script: dies('KILL') },
      { title: 'SEGV', script: dies('SEGV') },
      { title: 'TERM', script: dies('TERM') },
      { title: 'exit', script: '[ "$FLEET_ATTEMPT" = 2 ] && exit 0\nexit 137' },
      { title: 'stubborn', script: 'kill -SEGV $$\nsleep 60\nexit 0' },
    ]);
    await house.settled(ids.values());
    const runs = await house.runs();
    const first = (title: string) => runs.find(({ taskId, attempt }) => taskId === ids.get(title) && attempt === 1)?.phase;
    expect(first('KILL')).toMatchObject({ outcome: 'crashed', exit: 137, detail: expect.stringContaining('SIGKILL') });
    expect(first('SEGV')).toMatchObject({ outcome: 'crashed', exit: 139, detail: expect.stringContaining('SIGSEGV') });
    expect(first('TERM')).toMatchObject({ outcome: 'crashed', exit: 143, detail: expect.stringContaining('SIGTERM') });
    expect(first('exit')).toMatchObject({ outcome: 'crashed', exit: 137, detail: expect.not.stringContaining('SIGKILL') });
    const tasks = new Map((await house.tasks()).map((task) => [task.title, task]));
    for (const title of ['KILL', 'SEGV', 'TERM', 'exit'])
      expect(tasks.get(title)).toMatchObject({ attempts: 2, phase: { state: 'done' } });
    expect(tasks.get('stubborn')?.phase).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('crashed after 2 of 2'),
    });
  });

  const SHORT = inFullRun ? 1_000 : 120;
  it(`${SHORT} short agents leave no zombie, no helper and no descriptor behind [R21] [R23] [R24]`, async () => {
    await using house = await faultHouse(['max_concurrent=20']);
    const { pid } = await house.up();
    // Every tenth leaves helpers in sessions of their own.
    const helpers = 'setsid sleep 600 & (setsid sh -c "sleep 601 & sleep 602 &" &)\n';
    const wishes = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) => ({
        title: `s${from + n}`,
        script: `${n % 10 === 0 ? helpers : ''}echo ${from + n}\nexit 0`,
      }));
    await house.settled((await house.queue(wishes(0, 20))).values());
    const [helper = 0] = childrenOf(pid);
    const before = { engine: descriptors(pid), helper: descriptors(helper) };
    for (let from = 20; from < SHORT; from += 180) {
      const ids = await house.queue(wishes(from, Math.min(180, SHORT - from)));
      await house.settled(ids.values(), 60_000);
    }
    expect((await house.tasks()).filter(({ phase }) => phase.state !== 'done')).toEqual([]);
    await vi.waitFor(() => {
      expect(house.marked()).toEqual([]);
      expect([...childrenOf(pid), ...childrenOf(helper)].filter(isZombie)).toEqual([]);
    }, 2_000);
    expect(descriptors(pid) - before.engine).toBeLessThanOrEqual(2);
    expect(descriptors(helper) - before.helper).toBeLessThanOrEqual(2);
  });

  fullOnly('60 agents at once run in an engine that may open 256 files [R21]', async () => {
    await using house = await faultHouse();
    const { pid, log } = await house.up(['prlimit', '--nofile=256:256']);
    expect(await readFile(`/proc/${pid}/limits`, 'utf8')).toMatch(/Max open files\s+256\s+256/);
    const script = 'echo here\nuntil [ -e ../go ]; do sleep 0.2; done\nexit 0';
    const ids = await house.queue(names(60).map((title) => ({ title, script })));
    await vi.waitFor(async () => expect((await house.runs()).filter(({ phase }) => phase.state === 'running')).toHaveLength(60), {
      timeout: 40_000,
      interval: 200,
    });
    expect(descriptors(pid)).toBeLessThan(120);
    await writeFile(join(house.directory, 'go'), '');
    await house.settled(ids.values(), 60_000);
    expect((await house.tasks()).filter(({ phase }) => phase.state !== 'done')).toEqual([]);
    expect(log()).not.toContain('EMFILE');
  });
});
