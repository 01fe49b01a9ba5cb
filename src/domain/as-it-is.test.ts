import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { asItIs } from './as-it-is.ts';
import { Task } from './task/task.ts';

const at = '2030-01-31T12:00:00.000Z';
const id = 'task_01m7r486yvv79x5ndd9jntpab4';
const task: Task = Task.parse({
  title: 'Write the parser',
  priority: 5,
  tags: ['a'],
  kind: 'implement',
  expectsChanges: true,
  executors: [],
  extraArgs: [],
  maxAttempts: 3,
  dependsOn: [id],
  metadata: { of: { any: ['kind'] } },
  id,
  seq: 1,
  prompt: { excerpt: 'Write', blob: 'a'.repeat(64), bytes: 7 },
  depth: 0,
  children: 0,
  awaited: 0,
  untold: false,
  phase: { state: 'running', since: at, holder: { kind: 'run', runId: id.replace('task', 'run') } },
  attempts: 0,
  createdAt: at,
  createdBy: 'you',
  updatedAt: at,
});

const inner = z.strictObject({ kind: z.literal('a'), n: z.int().min(0).max(3).optional() });
const schemas: Readonly<Record<string, z.ZodType>> = {
  strict: z.strictObject({ a: z.string().min(1).max(2), b: z.boolean().nullable(), inner: inner.optional() }),
  loose: z.looseObject({ a: z.string() }),
  stripped: z.object({ a: z.string().optional() }),
  defaults: z.strictObject({ a: z.string().default('x'), b: z.array(z.int()).max(2).default([]) }),
  changed: z.strictObject({ a: z.string().trim() }),
  either: z.union([z.strictObject({ a: z.string() }), z.strictObject({ b: z.number().positive() })]),
  'either, one with a default': z.union([z.strictObject({ a: z.string().default('x') }), z.strictObject({})]),
  tagged: z.discriminatedUnion('kind', [inner, z.strictObject({ kind: z.literal('b'), a: z.string() })]),
  record: z.record(z.string().max(1), z.unknown()).refine((value) => Object.keys(value).length < 2),
  listed: z.array(z.enum(['a', 'b'])).min(1),
  format: z.strictObject({ a: z.url().optional() }),
  sticky: z.string().regex(/a/g),
  task: Task,
};

describe('a value that is right as it is', () => {
  it('comes back itself, with the defaults it lacks, and is what the schema makes of it', () => {
    expect(asItIs(Task, task)).toBe(task);
    const { uncounted: _, messages: __, ...lacking } = task;
    expect(asItIs(Task, lacking)).toStrictEqual({ ...lacking, uncounted: 0, messages: [] });
  });

  it('is not taken for right when anything about it is wrong', () => {
    for (const name of Object.keys(task)) expect(asItIs(Task, { ...task, [name]: Symbol('wrong') }), name).toBeUndefined();
    const wrong = [
      { ...task, unknown: 1 },
      { ...task, phase: { state: 'queued' } },
      { ...task, title: ' ' },
      { ...task, priority: 1.5 },
    ];
    for (const value of [...wrong, Object.create(task), JSON.parse('{"__proto__":{}}')])
      expect(asItIs(Task, value)).toBeUndefined();
  });

  it('is never one that its schema refuses or would change', () => {
    const word = fc.constantFrom('', 'a', 'b', ' a', 'abc', 'x');
    const leaf = fc.oneof(
      word,
      fc.constantFrom(0, 1, 2.5, -1, Number.NaN, true, null, undefined),
      fc.array(word, { maxLength: 3 }),
    );
    const name = fc.constantFrom('a', 'b', 'kind', 'n', 'inner', '__proto__', 'other');
    const object = fc.dictionary(name, fc.oneof(leaf, fc.dictionary(name, leaf, { maxKeys: 2 })), { maxKeys: 3 });
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(schemas)), fc.oneof(object, leaf), (which, value) => {
        const schema = schemas[which] as z.ZodType;
        const seen = asItIs(schema, value);
        if (seen !== undefined) expect(schema.parse(value)).toEqual(seen);
      }),
      { numRuns: 20_000 },
    );
  });
});
