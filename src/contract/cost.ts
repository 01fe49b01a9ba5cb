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
  summary: 'Show what a task has used so far: tokens and API-equivalent dollars, by run and by turn.',
  input: z.strictObject({ id: Ref }),
  output: z.strictObject({
    taskId: TaskId,
    /** The usage of all runs of the task together; absent while nothing is known. */
    usage: Usage.optional(),
    /** The usage of the task and all its parts, which share its budget; absent without parts. */
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
        /** Absent until the run has ended. */
        outcome: Outcome.optional(),
        usage: Usage.optional(),
        turns: z.int(),
        /** The newest turns of the run. */
        spent: z.array(Turn),
        /** The used share of each quota window of the account, as last reported. */
        quota: Watch.shape.quota,
      }),
    ),
    /** Day of the price list, which gives the cost of turns whose program states none. */
    pricesAsOf: z.string(),
  }),
  faults: ['not_found', 'unavailable'],
});

export const fleetCost = operation({
  name: 'fleet.cost',
  kind: 'query',
  role: 'monitor',
  summary: 'Show what the agents used in the last days, by day and executor.',
  input: z.strictObject({ days: z.int().min(1).max(366).default(7).describe('number of days, today included') }),
  output: z.strictObject({
    items: z.array(z.strictObject({ day: z.string(), executor: Name, runs: z.int(), turns: z.int(), usage: Usage.optional() })),
    usage: Usage.optional(),
    /** Not all runs were counted: the sums are of the newest ones. */
    isCut: z.boolean(),
    pricesAsOf: z.string(),
  }),
  faults: ['unavailable'],
});
