import { expect, it } from 'vitest';
import type { Executor } from '../../domain/agent/executor.ts';
import { endedSilently, outcomeOf } from '../../domain/run/outcome.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Instant, QuestionId } from '../../domain/values.ts';
import { ingest, isConsequence, newWatch } from './ingest.ts';

const AT = '2030-01-01T12:00:00.000Z' as Instant;
const asked: string[] = [];

const executor: Pick<Executor, 'step'> = {
  step: (state, line) => {
    asked.push(line);
    if (line === 'break') return { state, events: [], send: [], failed: 'it broke' };
    return { state, events: [{ type: 'ended', verdict: 'succeeded', summary: line }], send: [] };
  },
};

function after(...lines: string[]) {
  asked.length = 0;
  const before = newWatch({ state: null, events: [], send: [] }, AT);
  const slice = { lines: lines.map((text) => ({ text })), cursor: { offset: 9, skipping: false }, dropped: 0, more: false };
  const seen = ingest(before, executor as Executor, slice, { questionId: () => 'q' as QuestionId, at: AT });
  return { before, seen, run: { phase: { state: 'running' }, watch: seen.watch } as Run };
}

it('an executor that has failed is not asked again, and its run has crashed, with the reason', () => {
  const { before, seen, run } = after('break', 'done');
  expect(asked).toEqual(['break']);
  expect(isConsequence(before, seen)).toBe(true);
  expect(outcomeOf(run, { exit: 0 })).toEqual({ outcome: 'crashed', detail: 'it broke' });
  expect(endedSilently(run, { exit: 0 })).toBe(false);
});

it('what an agent has said of its work before that holds', () => {
  expect(outcomeOf(after('done', 'break').run, { exit: 0 })).toEqual({ outcome: 'succeeded', detail: 'done' });
});
