import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instantOf, RunId } from '../values.ts';
import { isInForce, liftedPause, type Pause, pauseAfterRefusal, pauseAfterSuccess, pauseId, type Refusal } from './pause.ts';

const T0 = Date.parse('2030-01-01T12:00:00.000Z');
const at = (seconds: number) => instantOf(T0 + seconds * 1_000);
const runId = RunId.parse('run_01jz0000000000000000000001');

const refusal = (seconds: number, more: Partial<Refusal> = {}): Refusal => ({
  executor: 'claude',
  runId,
  claimedAt: at(seconds),
  at: at(seconds),
  why: 'too many requests',
  jitter: 1,
  ...more,
});

describe('a pause', () => {
  it('lasts 4, 8, 16, 32 and then 60 s while the provider names no time [RUN-04]', () => {
    let pause: Pause | undefined;
    const lengths: number[] = [];
    for (let now = 0, n = 0; n < 6; n += 1) {
      pause = pauseAfterRefusal(pause, refusal(now));
      lengths.push((Date.parse(pause.until) - T0) / 1_000 - now);
      now = (Date.parse(pause.until) - T0) / 1_000;
    }
    expect(lengths).toEqual([4, 8, 16, 32, 60, 60]);
    expect(pause).toMatchObject({ stated: false, account: 'default', id: 'pause_claude/default' });
  });

  it('does not grow by refusals of runs that were under way when it began [RUN-04]', () => {
    const first = pauseAfterRefusal(undefined, refusal(10, { claimedAt: at(0) }));
    expect(pauseAfterRefusal(first, refusal(11, { claimedAt: at(1) }))).toBe(first);
    expect(pauseAfterRefusal(first, refusal(12, { claimedAt: at(11) }))).toMatchObject({
      guesses: 2,
      until: at(20),
      since: at(10),
    });
  });

  it('begins with a short guess again if the last refusal is long ago', () => {
    const first = pauseAfterRefusal(pauseAfterRefusal(undefined, refusal(0)), refusal(5));
    expect(first.guesses).toBe(2);
    expect(pauseAfterRefusal(first, refusal(3_600))).toMatchObject({ guesses: 1, until: at(3_604) });
  });

  it('ends at the time the provider stated, which outweighs a guess; of two stated times the later one counts [RUN-04]', () => {
    const guess = pauseAfterRefusal(undefined, refusal(0));
    const stated = pauseAfterRefusal(guess, refusal(1, { until: at(3) }));
    expect(stated).toMatchObject({ stated: true, until: at(3), since: at(0) });
    const later = pauseAfterRefusal(stated, refusal(2, { until: at(600) }));
    expect(later.until).toBe(at(600));
    expect(pauseAfterRefusal(later, refusal(3, { until: at(60) }))).toBe(later);
    expect(pauseAfterRefusal(later, refusal(4))).toBe(later);
  });

  it('is a guess if the stated time has passed', () => {
    expect(pauseAfterRefusal(undefined, refusal(10, { until: at(9) }))).toMatchObject({ stated: false, until: at(14) });
  });

  it('ends early by a success only if it was a guess, and by a person always [RUN-04]', () => {
    const guess = pauseAfterRefusal(undefined, refusal(0));
    const over = pauseAfterSuccess(guess, { at: at(1), by: runId });
    expect(over).toMatchObject({ guesses: 0, over: { at: at(1), by: runId } });
    expect(isInForce(over, at(1))).toBe(false);
    expect(pauseAfterSuccess(over as Pause, { at: at(2), by: runId })).toBeUndefined();
    const stated = pauseAfterRefusal(undefined, refusal(0, { until: at(600) }));
    expect(pauseAfterSuccess(stated, { at: at(1), by: runId })).toBeUndefined();
    expect(isInForce(liftedPause(stated, { at: at(1), by: 'ada' }), at(1))).toBe(false);
    expect(isInForce(pauseAfterRefusal(liftedPause(stated, { at: at(1), by: 'ada' }), refusal(2)), at(3))).toBe(true);
  });

  it('is never shortened by further refusals, in any order', () => {
    const steps = fc.record({ wait: fc.integer({ min: 0, max: 50 }), until: fc.option(fc.integer({ min: 0, max: 500 })) });
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 30 }), (list) => {
        let [now, pause] = [0, undefined as Pause | undefined];
        for (const { wait, until } of list) {
          now += wait;
          const next = pauseAfterRefusal(pause, refusal(now, until === null ? {} : { until: at(until) }));
          expect(isInForce(next, at(now))).toBe(true);
          const wasStated = isInForce(pause, at(now)) && pause.stated;
          if (pause && wasStated) expect(next.until >= pause.until).toBe(true);
          pause = next;
        }
      }),
    );
  });

  it('has a different id for each account of each executor, whatever their names', () => {
    const names = [{ executor: 'a', account: 'b c' }, { executor: 'a b', account: 'c' }, { executor: 'ä' }, { executor: 'a' }];
    expect(new Set(names.map(pauseId)).size).toBe(names.length);
  });
});
