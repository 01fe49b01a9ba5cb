import { describe, expect, it } from 'vitest';
import { PROJECT_EFFECTS } from './laws/project-effects.ts';
import { assertEffect, type Effect, type Named, problemOf, provedBy } from './laws/proof.ts';
import { TASK_EFFECTS } from './laws/task-effects.ts';

type Proofs = readonly [string, Effect<unknown, object> | Named][];
const tables: readonly (readonly [string, Proofs])[] = [
  ['task.create', Object.entries(TASK_EFFECTS) as Proofs],
  ['project.add', Object.entries(PROJECT_EFFECTS) as Proofs],
];

for (const [operation, proofs] of tables)
  describe(`every field of ${operation} changes something`, () => {
    for (const [field, proof] of proofs) it(`${field} does [TASK-01] [TASK-02]`, () => assertEffect(field, proof));
  });

describe('the name of a test as a proof', () => {
  const here = 'test/field-effects.test.ts';
  it('is taken when that test is there', () =>
    expect(problemOf(provedBy(here, 'is taken when that test is there'))).toBeUndefined());
  it('is refused when it is not there, not a title, or only in the full run', () => {
    expect(problemOf(provedBy('test/nowhere.test.ts', 'x'))).toContain('there is no file');
    expect(problemOf(provedBy(here, ['no such', 'title'].join(' ')))).toContain('has no test called');
    expect(problemOf(provedBy(here, 'project.add'))).toContain('not as a title');
    expect(problemOf(provedBy('test/e2e/limits.test.ts', FULL))).toContain('does not run in npm test');
  });
});

const FULL = 'asks for a person when a fresh run comes no further, three times in a row [RUN-06]';
