import { describe, expect, it } from 'vitest';
import { healthOf } from './health.ts';
import type { Run, RunPhase } from './run.ts';

const now = '2030-01-01T12:00:00.000Z';
const running: RunPhase = {
  state: 'running',
  since: now,
  boot: 'b',
  shim: { pid: 2, started: '1' },
  agent: { pid: 3, started: '1' },
};

const health = (silentMs: number, more: Partial<Run> & { readonly asks?: number; readonly tools?: number } = {}) => {
  const { asks = 0, tools = 0, ...run } = more;
  const signAt = new Date(Date.parse(now) - silentMs).toISOString();
  const watch = {
    asks: Array.from({ length: asks }, (_, n) => ({ request: `${n}`, questionId: `question_${n}` })),
    openTools: Array.from({ length: tools }, (_, n) => `${n}`),
    signAt,
  };
  return healthOf({ phase: running, attempt: 1, watch: watch as unknown as Run['watch'], ...run }, { now, stallMs: 120_000 });
};

describe('the health of a run', () => {
  it('falls with the share of the allowed silence that has passed [RUN-03]', () => {
    expect([0, 60_000, 60_001, 120_000, 120_001].map((silentMs) => health(silentMs))).toEqual([
      'healthy',
      'healthy',
      'degraded',
      'degraded',
      'unhealthy',
    ]);
    expect([600_000, 600_001, 1_200_001].map((silentMs) => health(silentMs, { tools: 1 }))).toEqual([
      'healthy',
      'degraded',
      'unhealthy',
    ]);
  });

  it('is healthy while the run waits for a person, and at best degraded after a restart', () => {
    expect(health(1_000_000, { asks: 1 })).toBe('healthy');
    expect(health(0, { attempt: 2 })).toBe('degraded');
  });

  it('exists only for a run that is not over', () => {
    expect(health(0, { phase: { state: 'claimed', since: now } })).toBeUndefined();
    expect(health(0, { phase: { state: 'ended', at: now, outcome: 'succeeded' } })).toBeUndefined();
    expect(health(0, { phase: { state: 'ending', since: now, outcome: 'stalled', why: '' } })).toBe('unhealthy');
  });
});
