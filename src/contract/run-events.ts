import { z } from 'zod';
import { VERDICTS } from '../domain/agent/executor.ts';
import { LIMITS } from '../domain/limits.ts';
import { Outcome } from '../domain/run/run.ts';
import { Instant, RunId } from '../domain/values.ts';
import { operation } from './operation.ts';
import { Ref } from './shapes.ts';

/* What a run did, and how it was started and ended, read from its output and its directory. */

/** Byte offset of the end of the event's line. Events that follow from the exit have an offset one past the output. */
const at = z.int();

/** One thing an agent said or did, in the event types that all executors share. */
const RunEvent = z.discriminatedUnion('type', [
  z.strictObject({ at, type: z.literal('opened'), session: z.string() }),
  z.strictObject({ at, type: z.literal('said'), text: z.string() }),
  z.strictObject({ at, type: z.literal('thought'), text: z.string() }),
  z.strictObject({ at, type: z.literal('tool'), id: z.string(), name: z.string(), detail: z.string().optional() }),
  z.strictObject({ at, type: z.literal('tool-done'), id: z.string(), ok: z.boolean() }),
  z.strictObject({
    at,
    type: z.literal('spent'),
    inputTokens: z.number(),
    outputTokens: z.number(),
    cachedTokens: z.number().optional(),
    costUsd: z.number().optional(),
    model: z.string().optional(),
  }),
  z.strictObject({ at, type: z.literal('context'), tokens: z.number(), limit: z.number().optional() }),
  z.strictObject({ at, type: z.literal('limited'), until: z.string().optional(), why: z.string().optional() }),
  z.strictObject({ at, type: z.literal('quota'), window: z.string(), used: z.number(), resets: z.string().optional() }),
  z.strictObject({
    at,
    type: z.literal('asked'),
    request: z.string(),
    kind: z.enum(['question', 'permission']),
    text: z.string(),
    options: z.array(z.string()),
  }),
  z.strictObject({ at, type: z.literal('heard'), n: z.int() }),
  z.strictObject({ at, type: z.literal('reported'), report: z.unknown() }),
  z.strictObject({ at, type: z.literal('ended'), verdict: z.enum(VERDICTS), summary: z.string() }),
  /** A number of consecutive lines that the executor does not know. */
  z.strictObject({ at, type: z.literal('unknown'), lines: z.int() }),
  /** The executor failed: later output is not decoded. */
  z.strictObject({ at, type: z.literal('failed'), why: z.string() }),
  /** The outcome of the run. Always the last event. */
  z.strictObject({
    at,
    type: z.literal('outcome'),
    outcome: Outcome,
    time: Instant,
    detail: z.string().optional(),
    exit: z.int().optional(),
  }),
]);
export type RunEvent = z.infer<typeof RunEvent>;

export const runEvents = operation({
  name: 'run.events',
  kind: 'query',
  role: 'monitor',
  summary: 'Read what the agent of a run said and did: every event once, with secrets removed.',
  input: z.strictObject({
    id: Ref,
    after: z.int().min(0).default(0).describe('start after this many bytes of output'),
    last: z.int().min(1).max(LIMITS.logTailLines.value).optional().describe('only the last events of the range'),
    limit: z.int().min(1).max(2_000).default(500).describe('maximum number of events; those of one line stay together'),
  }),
  output: z.strictObject({
    runId: RunId,
    items: z.array(RunEvent),
    next: z.int(),
    /** More output can be read now, even if this answer has no events: ask again from `next`. */
    more: z.boolean(),
    /** The run is over and all its events were returned. */
    ended: z.boolean(),
    /** The executor prints plain text, so its log holds the same. */
    isText: z.boolean(),
    /** Bytes of overlong lines that were skipped. */
    dropped: z.int().optional(),
    removedAt: Instant.optional(),
  }),
  faults: ['not_found', 'forbidden', 'unavailable'],
});

const RunFacts = z.strictObject({
  runId: RunId,
  /** Directory of the run on its host. */
  directory: z.string(),
  /** Beginning of the prompt, its length, and the file that holds all of it. */
  prompt: z.strictObject({ text: z.string(), bytes: z.int(), file: z.string() }).optional(),
  launch: z
    .strictObject({
      command: z.string(),
      args: z.array(z.string()),
      workDirectory: z.string(),
      mode: z.string(),
      /** Names of the environment variables, never their values. */
      env: z.array(z.string()),
    })
    .optional(),
  /** How the process ended. `refused`: why it was never started. */
  exit: z.strictObject({ code: z.int(), signal: z.string().optional(), refused: z.string().optional() }).optional(),
});
export type RunFacts = z.infer<typeof RunFacts>;

export const runFacts = operation({
  name: 'run.facts',
  kind: 'query',
  role: 'monitor',
  summary: 'Show how a run was started and ended: prompt, command line, variables, exit.',
  input: z.strictObject({ id: Ref }),
  output: RunFacts,
  faults: ['not_found', 'forbidden', 'unavailable'],
});
