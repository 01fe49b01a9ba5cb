import { z } from 'zod';
import { Outcome, Watch } from '../domain/run/run.ts';
import { Turn, Usage } from '../domain/run/usage.ts';
import { Instant, Name, RunId, TaskId } from '../domain/values.ts';
import { operation } from './operation.ts';
import { Ref } from './shapes.ts';

export const taskCost = operation({
  name: 'task.cost',
  kind: 'query',
  ofRows: true,
  role: 'monitor',
  summary: 'Show what a task has taken so far: tokens and API-equivalent dollars, by run and by turn.',
  input: z.strictObject({ id: Ref }),
  output: z.strictObject({
    taskId: TaskId,
    /** Of all its runs together; absent while nothing is known. */
    usage: Usage.optional(),
    /** Of it and all its parts, which share its budget; absent where it has none. */
    withParts: Usage.optional(),
    turns: z.int(),
    maxBudgetUsd: z.number().optional(),
    maxTokens: z.int().optional(),
    maxTurns: z.int().optional(),
    runs: z.array(
      z.strictObject({
        runId: RunId,
        executor: Name,
        model: z.string().optional(),
        createdAt: Instant,
        /** Absent while it goes on. */
        outcome: Outcome.optional(),
        usage: Usage.optional(),
        turns: z.int(),
        /** The newest of its turns. */
        spent: z.array(Turn),
        /** How much of each window of its account was used when it last said so. */
        quota: Watch.shape.quota,
      }),
    ),
    /** Day of the price list for turns whose program does not say what they cost. */
    pricesAsOf: z.string(),
  }),
  faults: ['not_found', 'unavailable'],
});

export const fleetCost = operation({
  name: 'fleet.cost',
  kind: 'query',
  role: 'monitor',
  summary: 'Show what the agents of the last days took, by day and executor.',
  input: z.strictObject({ days: z.int().min(1).max(366).default(7).describe('how many days back, today included') }),
  output: z.strictObject({
    items: z.array(z.strictObject({ day: z.string(), executor: Name, runs: z.int(), turns: z.int(), usage: Usage.optional() })),
    usage: Usage.optional(),
    /** There were more runs than were looked at: the sums are of the newest. */
    isCut: z.boolean(),
    pricesAsOf: z.string(),
  }),
  faults: ['unavailable'],
});
