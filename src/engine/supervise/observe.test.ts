import { describe, expect, it } from 'vitest';
import type { RunState, SuperviseDeps } from './deps.ts';
import type { SuperviseMemory } from './memory.ts';
import { observe } from './observe.ts';

const STALL_MS = 60_000;

/** One run that prints nothing, on a machine whose clock the test sets. */
function machine(listens: boolean) {
  let [clock, ticks, bytes] = [0, 0, 0];
  const run = {
    body: {
      id: 'run',
      phase: { state: 'running' },
      updatedAt: at(0),
      watch: { asks: [], openTools: [], outbox: { at: 0, tail: '' } },
    },
    version: '1',
  };
  const task = { body: { id: 'task', messages: [] }, version: '1' };
  const look = (): RunState => ({
    state: 'alive',
    identity: { boot: 'b', shim: { pid: 1, started: '1' }, agent: { pid: 2, started: '1' } },
    listens,
    outBytes: bytes,
    errBytes: 0,
    ageMs: clock,
  });
  const memory = {
    picture: { look: async () => [{ run, task, isNew: false }] },
    ...{ looks: new Map(), hinted: new Set(), pulses: new Map(), seenAt: new Map(), files: new Map(), ahead: new Map() },
    ...{ hungUp: new Set(), ticksAt: Number.NEGATIVE_INFINITY },
  } as unknown as SuperviseMemory;
  const needs = {
    elapsed: () => clock,
    now: () => at(clock),
    rules: () => ({ stallMs: STALL_MS, spoolBytes: 1, processes: 1 }),
    changedAt: async () => undefined,
    runner: {
      follow: () => ['run'],
      look: async () => look(),
      ticks: async () => new Map([['run', ticks]]),
      crowded: async () => new Map(),
    },
  } as unknown as SuperviseDeps;
  return {
    /** Time goes by while it uses this many ticks in a second. */
    pass: async (ms: number, perSecond: number) => {
      for (const end = clock + ms; clock < end; ) {
        clock += 5_000;
        ticks += 5 * perSecond;
        await observe(needs, memory);
      }
      return (await observe(needs, memory)).sights[0];
    },
    print: () => void (bytes += 10),
    /** Nobody looks for so long. */
    away: (ms: number) => void (clock += ms),
  };
}

const at = (ms: number): string => new Date(ms).toISOString();

describe('how long a run has been silent', () => {
  it('is counted from its last output, or from when it last used the processor [RUN-03]', async () => {
    const { pass, print } = machine(true);
    expect((await pass(50_000, 0))?.silentMs).toBeGreaterThan(40_000);
    print();
    expect((await pass(5_000, 0))?.silentMs).toBeLessThanOrEqual(5_000);
    expect((await pass(300_000, 50))?.silentMs).toBeLessThan(STALL_MS / 2);
  });

  it('is counted for a conversing agent that has done nothing but use the processor for ten times as long [RUN-03]', async () => {
    const { pass, print } = machine(true);
    expect((await pass(9 * STALL_MS, 50))?.silentMs).toBeLessThan(STALL_MS / 2);
    const late = await pass(3 * STALL_MS, 50);
    expect(late?.silentMs).toBeGreaterThan(STALL_MS);
    expect(late?.speechlessMs).toBeGreaterThan(11 * STALL_MS);
    print();
    expect((await pass(STALL_MS, 50))?.silentMs).toBeLessThan(STALL_MS / 2);
  });

  it('is never counted while one that is only listened to computes: nobody knows of its tools [RUN-03]', async () => {
    expect((await machine(false).pass(30 * STALL_MS, 50))?.silentMs).toBeLessThan(STALL_MS / 2);
  });

  it('leaves out the time in which nobody looked, and only that [RUN-03]', async () => {
    const { pass, away } = machine(true);
    expect((await pass(40_000, 0))?.silentMs).toBeGreaterThan(30_000);
    away(10 * STALL_MS);
    expect((await pass(5_000, 0))?.silentMs).toBeLessThan(STALL_MS);
    expect((await pass(STALL_MS, 0))?.silentMs).toBeGreaterThan(STALL_MS);
  });
});
