import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type FaultHouse, faultHouse, type RunJson, scenario } from '../fixtures/fault-house.ts';
import { machineIn } from '../fixtures/machine.ts';
import { fullOnly, inFullRun } from '../full-only.ts';

const STALL_SECONDS = inFullRun ? 8 : 2;

interface Shown {
  readonly health?: string;
  readonly watch: { readonly signAt: string; readonly session?: string };
}
const show = async (house: FaultHouse, id: string, env: Record<string, string> = {}) =>
  (await house.ok(['run', 'show', id, '--json'], { env })).json<Shown>();
const jobOf = async (house: FaultHouse, { id }: RunJson) =>
  JSON.parse(await readFile(join(house.home, 'runs', id, 'job.json'), 'utf8')) as { args: string[]; workDirectory: string };

describe('a run', () => {
  it('lives while it prints, computes, waits for a tool or changes files; without all of these it is stalled, and started again twice [RUN-03]', async () => {
    await using house = await faultHouse([`stall_seconds=${STALL_SECONDS}`, 'max_attempts=10']);
    await house.up();
    // Somebody else does the work it waits for.
    const changed = join(house.directory, 'place of files', 'deep', 'in', 'it');
    await mkdir(changed, { recursive: true });
    let n = 0;
    const changing = setInterval(() => void writeFile(join(changed, 'file'), String(n++)), 200);
    const until = (step: string) => `until [ -e ../go ]; do ${step}; done\nexit 0`;
    const ids = await house.queue([
      { title: 'silent', script: 'exec sleep 600' },
      { title: 'prints', script: until('echo on; sleep 0.5') },
      { title: 'computes', script: until('n=0; while [ $n -lt 50000 ]; do n=$((n + 1)); done; sleep 0.3') },
      { title: 'files', script: until('sleep 600') },
    ]);
    const waits = await house.create(
      scenario(`sh until [ -e ../go ]; do sleep 600; done\ndone waited`),
      '--executor',
      'scripted',
    );
    try {
      await house.settled([ids.get('silent') ?? ''], 60_000 + 4_000 * STALL_SECONDS);
    } finally {
      clearInterval(changing);
    }
    const alive = (await house.runs()).filter(({ phase }) => phase.state === 'running');
    expect(new Set(alive.map(({ taskId, attempt }) => `${taskId} ${attempt}`))).toEqual(
      new Set([...['prints', 'computes', 'files'].map((title) => `${ids.get(title)} 1`), `${waits} 1`]),
    );
    const silent = await house.runs(ids.get('silent'));
    expect(silent.map(({ phase }) => phase.outcome)).toEqual(['stalled', 'stalled', 'stalled']);
    expect((await house.task(ids.get('silent') ?? '')).phase).toMatchObject({ state: 'failed', reason: 'stalled 3 times' });
    // It printed nothing, and people can see all the same that it lives.
    const computing = alive.find(({ taskId }) => taskId === ids.get('computes'));
    const { watch } = await show(house, computing?.id ?? '');
    expect(Date.parse(watch.signAt)).toBeGreaterThan(Date.parse(computing?.createdAt ?? '') + STALL_SECONDS * 1_000);
    await vi.waitFor(async () => expect((await house.outcomes(ids.get('files') ?? ''))[0]).toBe('stalled'), 40_000);
    expect(await house.outcomes(ids.get('prints') ?? '')).toEqual(['running']);
    await writeFile(join(house.directory, 'go'), '');
    // The one may have failed for good by now.
    for (const id of [ids.get('files') ?? '', waits]) await house.fleet(['task', 'cancel', id]);
    await house.settled([...ids.values(), waits]);
  });

  fullOnly(
    'that is stalled is started again in the same place, by its own resume or told what went before [RUN-03]',
    async () => {
      await using house = await faultHouse(['stall_seconds=1', 'max_attempts=2']);
      await house.up();
      const ids = await house.queue([{ title: 'told', script: 'exec sleep 600' }]);
      const resumes = await house.create(scenario('say begun\nhang'), '--executor', 'scripted');
      await house.settled([...ids.values(), resumes], 40_000);
      const [first, second] = await house.runs(ids.get('told'));
      const prompt = await readFile(join(house.home, 'runs', second?.id ?? '', 'prompt.txt'), 'utf8');
      expect(prompt).toContain('You have worked on this before (attempt 2). That run ended as stalled: no sign of life');
      const [before, after] = await house.runs(resumes);
      const session = (await show(house, before?.id ?? '')).watch.session ?? 'none';
      expect((await jobOf(house, after as RunJson)).args.join(' ')).toContain(`--resume ${session}`);
      for (const [one, two] of [
        [first, second],
        [before, after],
      ])
        expect((await jobOf(house, two as RunJson)).workDirectory).toBe((await jobOf(house, one as RunJson)).workDirectory);
    },
  );

  it('shows how it is doing: healthy, degraded, unhealthy [RUN-03]', async () => {
    await using house = await faultHouse(['stall_seconds=600', 'max_attempts=2']);
    const later = await machineIn(house.directory, 'later');
    await later.boot((await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim());
    const env = { NODE_OPTIONS: later.options };
    await house.up();
    const wait = 'until [ -e ../go ]; do sleep 0.1; done\nexit 0';
    const ids = await house.queue([
      { title: 'first', script: wait },
      { title: 'second', script: `[ "$FLEET_ATTEMPT" = 1 ] && exit 5\n${wait}` },
    ]);
    const [first, second] = await vi.waitFor(async () => {
      const runs = await Promise.all(['first', 'second'].map(async (title) => (await house.runs(ids.get(title))).at(-1)));
      expect(runs.map((run) => `${run?.attempt} ${run?.phase.state}`)).toEqual(['1 running', '2 running']);
      return runs;
    }, 30_000);
    expect((await show(house, first?.id ?? '')).health).toBe('healthy');
    expect((await show(house, second?.id ?? '')).health).toBe('degraded');
    expect((await house.ok(['run', 'show', first?.id ?? ''])).out).toMatch(/Health\s+healthy/);
    // Whoever reads by itself goes by its own clock; a live server would be asked and go by another.
    await rm(join(house.home, 'up.json'));
    await later.jump(400_000);
    expect((await show(house, first?.id ?? '', env)).health).toBe('degraded');
    await later.jump(700_000);
    expect((await show(house, first?.id ?? '', env)).health).toBe('unhealthy');
    expect((await house.ok(['tasks'], { env })).out).toMatch(/HEALTH[^]*unhealthy/);
    await writeFile(join(house.directory, 'go'), '');
    await house.settled(ids.values());
    expect((await show(house, first?.id ?? '')).health).toBeUndefined();
  });
});
