import type { OutputOf } from '../../../../contract/call.ts';
import { RunId, TaskId } from '../../../../domain/values.ts';

const usage = { inputTokens: 41_800, outputTokens: 2_100, cachedTokens: 39_000, costUsd: 0.42, listUsd: 0.02, unpriced: 1 };
const at = '2030-01-31T11:58:00.000Z';

export const costSamples: { readonly [Name in 'task.cost' | 'fleet.cost']: OutputOf<Name> } = {
  'task.cost': {
    taskId: TaskId.parse('task_01jz0000000000000007k2m9xq'),
    usage,
    withParts: { ...usage, costUsd: 1.5 },
    turns: 71,
    maxBudgetUsd: 2,
    runs: [
      {
        runId: RunId.parse('run_01jz0000000000000002xq4n1r'),
        executor: 'claude',
        model: 'claude-opus-5',
        createdAt: '2030-01-31T11:56:50.000Z',
        usage,
        turns: 71,
        spent: [
          { at, inputTokens: 1_200, outputTokens: 300, cachedTokens: 9_000, costUsd: 0.021 },
          { at, inputTokens: 800, outputTokens: 90, cachedTokens: 0, model: 'other' },
        ],
        quota: [{ window: '5h', used: 0.42, resets: '2030-01-31T14:00:00.000Z' }],
      },
    ],
    pricesAsOf: '2026-11-16',
  },
  'fleet.cost': {
    items: [
      { day: '2030-01-31', executor: 'claude', runs: 3, turns: 40, usage },
      { day: '2030-01-30', executor: 'gemini', runs: 1, turns: 0 },
    ],
    usage,
    isCut: false,
    pricesAsOf: '2026-11-16',
  },
};
