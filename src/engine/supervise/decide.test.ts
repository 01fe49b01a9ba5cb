import { describe, expect, it } from 'vitest';
import type { Run, RunPhase, Watch } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import { decide, type ObservedRun } from './decide.ts';
import type { RunState, SuperviseRules } from './deps.ts';
import { newWatch } from './ingest.ts';

const now = '2030-01-01T12:00:00.000Z';
const MB = 1024 * 1024;
const rules: SuperviseRules = {
  stallMs: 120_000,
  spoolBytes: 10 * MB,
  contextPercent: 90,
  processes: 100,
  sandboxSeconds: 3_600,
};
const who = { pid: 7, started: '1' };
const identity = { boot: 'b', shim: who, agent: who };
const running: RunPhase = { state: 'running', since: now, ...identity };
const alive: RunState = { state: 'alive', identity, listens: false, outBytes: 0, errBytes: 0 };
const ended = (outBytes: number): RunState => ({ state: 'ended', exit: 0, outBytes });

interface Seen extends Partial<Omit<ObservedRun, 'run' | 'task'>> {
  readonly phase?: RunPhase;
  readonly watch?: Partial<Watch>;
  readonly canceled?: boolean;
  readonly limits?: Partial<Task>;
}

/** What is done about one run, in words. */
function actionFor({ phase = running, watch = {}, canceled = false, limits = {}, ...sight }: Seen) {
  const seen = { ...newWatch({ state: null, events: [], send: [] }, now), ...watch };
  const run = { body: { phase, watch: seen } as Run, version: '1' };
  const task = { spentMs: 0, turns: 0, ...limits, ...(canceled ? { cancelAsked: { at: now, by: 'ada' } } : {}) } as Task;
  const around: ObservedRun = { run, task, look: alive, silentMs: 0, sinceMs: 0, toSend: false, ...sight };
  const [action] = decide({ sights: [around], now, rules });
  if (!action) return 'nothing';
  return [action.type, 'outcome' in action && action.outcome, 'atOnce' in action && action.atOnce && 'at once']
    .filter(Boolean)
    .join(' ');
}

describe('what is done about a run', () => {
  it('is nothing while it is quiet and has time', () => {
    expect(actionFor({})).toBe('nothing');
    expect(actionFor({ silentMs: 119_000 })).toBe('nothing');
    expect(actionFor({ silentMs: 121_000 })).toBe('end stalled');
    expect(actionFor({ silentMs: 121_000, watch: { openTools: ['t'] } })).toBe('nothing');
  });

  it('is to end one that has used up a budget or its window, gently, unless it has said how it went [RUN-06] [RUN-08]', () => {
    const usage = { inputTokens: 50, outputTokens: 50, cachedTokens: 0, costUsd: 2 };
    const context = { tokens: 95, limit: 100 };
    expect(actionFor({ watch: { usage }, limits: { maxBudgetUsd: 2 } })).toBe('end over_budget');
    expect(actionFor({ watch: { usage }, limits: { maxTokens: 100 } })).toBe('end over_budget');
    expect(actionFor({ watch: { usage }, limits: { maxBudgetUsd: 3, maxTokens: 101 } })).toBe('nothing');
    expect(actionFor({ watch: { usage, context }, limits: { maxBudgetUsd: 3 } })).toBe('end context_full');
    expect(actionFor({ watch: { context, verdict: 'succeeded' } })).toBe('nothing');
    expect(actionFor({ watch: { usage, verdict: 'succeeded' }, limits: { maxBudgetUsd: 1 } })).toBe('nothing');
  });

  it('is to end one in a sandbox after a time also where nobody has set one [RUN-16]', () => {
    expect(actionFor({ sinceMs: 3_601_000, limits: { sandbox: true } })).toBe('end timed_out');
    expect(actionFor({ sinceMs: 3_599_000, limits: { sandbox: true } })).not.toContain('end');
    expect(actionFor({ sinceMs: 3_601_000, limits: { sandbox: true, timeoutSeconds: 7_200 } })).not.toContain('end');
    expect(actionFor({ sinceMs: 3_601_000 })).not.toContain('end');
  });

  it('is to end the input of one that has said how it went and waits for more', () => {
    const listening: RunState = { ...alive, listens: true };
    const watch = { verdict: 'succeeded' as const };
    expect(actionFor({ look: listening })).toBe('nothing');
    expect(actionFor({ look: listening, watch })).toBe('hangUp');
    expect(actionFor({ look: listening, watch, toSend: true }), 'it takes no more messages').toBe('hangUp');
    expect(actionFor({ look: { ...listening, outBytes: 1 }, watch })).toBe('ingest');
    expect(actionFor({ look: listening, watch: { ...watch, outbox: { at: 0, tail: 'x\n' } }, toSend: true })).toBe('ingest');
    expect(actionFor({ look: listening, watch, hungUp: true })).toBe('nothing');
    expect(actionFor({ look: alive, watch })).toBe('nothing');
  });

  it('is to end one that has said how it went and does not go, as what it said', () => {
    expect(actionFor({ silentMs: 21_000, watch: { verdict: 'succeeded' } })).toBe('end succeeded');
    expect(actionFor({ silentMs: 21_000, watch: { verdict: 'over_budget' } })).toBe('end over_budget at once');
    expect(actionFor({ silentMs: 19_000, watch: { verdict: 'succeeded' } })).toBe('nothing');
  });

  it('is to end it at once when it floods disk or machine, also after a restart [R22] [R25]', () => {
    expect(actionFor({ look: { ...alive, outBytes: 6 * MB, errBytes: 5 * MB } })).toBe('end output_limit at once');
    expect(actionFor({ processes: 101 })).toBe('end over_budget at once');
    const ending = (outcome: 'output_limit' | 'over_budget' | 'canceled'): RunPhase => ({
      state: 'ending',
      since: now,
      outcome,
      why: '',
    });
    expect(actionFor({ phase: ending('output_limit') })).toBe('ladder at once');
    expect(actionFor({ phase: ending('over_budget') })).toBe('ladder at once');
    expect(actionFor({ phase: ending('canceled') })).toBe('ladder');
    expect(actionFor({ phase: ending('output_limit'), look: ended(50 * MB) })).toBe('finish');
  });

  it('is to read the rest of a long output before it is settled [R25]', () => {
    expect(actionFor({ look: ended(50 * MB) })).toBe('catchUp');
    expect(actionFor({ look: ended(50 * MB), watch: { offset: 49.5 * MB } })).toBe('finish');
    expect(actionFor({ look: { state: 'dead', outBytes: 2 * MB } })).toBe('catchUp');
  });

  it('is to end it when somebody asks for that, however far its start has come [RUN-13]', () => {
    const claimed: RunPhase = { state: 'claimed', since: now };
    expect(actionFor({ canceled: true })).toBe('end canceled');
    expect(actionFor({ phase: claimed, look: { state: 'starting' } })).toBe('nothing');
    expect(actionFor({ phase: claimed, look: { state: 'starting' }, canceled: true })).toBe('end canceled');
    expect(actionFor({ phase: claimed, look: { state: 'unclaimed' }, canceled: true })).toBe('finish');
    expect(actionFor({ look: { state: 'starting' } })).toBe('end lost');
  });

  it('is to write down that it lives, but not while it waits for a person [RUN-03]', () => {
    const signAt = new Date(Date.parse(now) - 40_000).toISOString();
    expect(actionFor({ watch: { signAt } })).toBe('ingest');
    expect(actionFor({ watch: { signAt }, silentMs: 40_000 })).toBe('nothing');
    const asks = [{ request: 'r', questionId: `question_${'0'.repeat(26)}` as Watch['asks'][number]['questionId'] }];
    expect(actionFor({ watch: { signAt, asks } })).toBe('nothing');
    expect(actionFor({ sinceMs: 61_000 })).toBe('ingest');
  });
});
