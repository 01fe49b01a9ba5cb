import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FaultHouse, faultHouse, memoryMb, type RunJson } from '../fixtures/fault-house.ts';
import { inFullRun } from '../full-only.ts';

const MB = 1024 * 1024;
const CAP_MB = inFullRun ? 200 : 8;
const QUIET = inFullRun ? 47 : 6;
const LINES = inFullRun ? 100 : 20;

/** None of them ends when it is asked to. */
const FLOODS = {
  out: `trap "" TERM\nyes ${'o'.repeat(999)}\nexit 0`,
  err: 'trap "" TERM\nyes >&2\nexit 0',
  both: 'trap "" TERM\nyes >&2 &\nyes "$(head -c 3000 /dev/zero | tr "\\0" x)"\nexit 0',
};

interface Watched extends RunJson {
  readonly watch: { readonly lines: number };
}

describe('a flood of output', () => {
  it('ends as output_limit, keeps what the cap allows, and holds up nobody [R25] [RUN-12]', async () => {
    await using house = await faultHouse([`max_output_mb=${CAP_MB}`, 'max_attempts=3', 'grace_seconds=60']);
    const { pid } = await house.up();
    await house.settled((await house.queue([{ title: 'warm', script: 'echo warm\nexit 0' }])).values());
    const before = memoryMb(pid);
    let most = before;
    const watching = setInterval(() => {
      most = Math.max(most, memoryMb(pid));
    }, 50);
    const line = `n=0\nwhile [ $n -lt ${LINES} ]; do n=$((n + 1)); echo "line $n"; sleep 0.1; done\nexit 0`;
    const quiet = await house.queue(Array.from({ length: QUIET }, (_, n) => ({ title: `quiet${n}`, script: line })));
    const floods = await house.queue(Object.entries(FLOODS).map(([title, script]) => ({ title, script })));
    await house.settled(floods.values(), 60_000);
    for (const [title, id] of floods) {
      const runs = await house.runs(id);
      expect({ title, outcomes: runs.map(({ phase }) => phase.outcome) }).toEqual({ title, outcomes: ['output_limit'] });
      expect(runs[0]?.phase.detail).toMatch(new RegExp(`^it printed \\d+ bytes, max_output_mb allows ${CAP_MB * MB}$`));
      expect((await house.task(id)).phase).toMatchObject({
        state: 'failed',
        reason: expect.stringMatching(/^output_limit after 1 of/),
      });
      const bytes = await spoolBytes(house, runs[0]?.id ?? '');
      expect({ title, bytes: bytes <= CAP_MB * MB }).toEqual({ title, bytes: true });
      expect({ title, kept: bytes > (CAP_MB - 1) * MB }).toEqual({ title, kept: true });
    }
    await house.settled(quiet.values(), 60_000);
    clearInterval(watching);
    expect(most - before).toBeLessThan(60);
    const lines = Array.from({ length: LINES }, (_, n) => `line ${n + 1}\n`).join('');
    const calm = new Set(quiet.values());
    const seen = ((await house.runs()) as Watched[]).filter(({ taskId }) => calm.has(taskId));
    expect(seen.map(({ phase, watch }) => `${phase.outcome} ${watch.lines}`)).toEqual([...calm].map(() => `succeeded ${LINES}`));
    for (const id of [...calm].slice(0, 3)) expect(await house.said(id)).toBe(lines);
    const said = await house.ok(['task', 'log', floods.get('out') ?? '', '--tail', '1']);
    expect(said.out).toContain('ooo');
    const dropped = (await house.ok(['run', 'show', (await house.runs(floods.get('out')))[0]?.id ?? '', '--json'])).json<{
      watch: { droppedBytes: number };
    }>().watch.droppedBytes;
    expect(dropped).toBeGreaterThan(0);
    expect(house.marked()).toEqual([]);
  });

  it('that ends by itself is read piece by piece: others are settled meanwhile, and nothing of it is lost [R25]', async () => {
    await using house = await faultHouse();
    await house.up();
    const bytes = (inFullRun ? 240 : 80) * MB;
    const line = 'x'.repeat(99);
    const ids = await house.queue([
      { title: 'flood', script: `yes ${line} | head -c ${bytes}\nexit 0` },
      { title: 'quiet', script: 'echo calm\nexit 0' },
    ]);
    await house.settled(ids.values(), 200_000);
    const [run] = await house.runs(ids.get('flood'));
    const shown = (await house.ok(['run', 'show', run?.id ?? '', '--json'])).json<{ watch: { lines: number; offset: number } }>();
    expect(shown.watch).toMatchObject({ lines: Math.ceil(bytes / 100), offset: bytes });
    const [quiet] = await house.runs(ids.get('quiet'));
    expect([run?.phase.outcome, quiet?.phase.outcome]).toEqual(['succeeded', 'succeeded']);
    expect(Date.parse(quiet?.phase.at ?? '')).toBeLessThan(Date.parse(run?.phase.at ?? ''));
  });
});

async function spoolBytes(house: FaultHouse, runId: string): Promise<number> {
  const sizes = ['out', 'err'].map(async (name) => (await stat(join(house.home, 'runs', runId, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
