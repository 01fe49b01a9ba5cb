import { describe, expect, it } from 'vitest';
import { PROJECT_EFFECTS } from './laws/project-effects.ts';
import { assertEffect, type Effect, type Named, type Pending, problemOf, provedBy } from './laws/proof.ts';
import { TASK_EFFECTS } from './laws/task-effects.ts';

/** Fields that are accepted and change nothing yet. The list only shrinks. */
const PENDING = ['task.create contextMode', 'project.add mcpServers'];

type Proofs = readonly [string, Effect<unknown, object> | Named | Pending][];
const tables: readonly (readonly [string, Proofs])[] = [
  ['task.create', Object.entries(TASK_EFFECTS) as Proofs],
  ['project.add', Object.entries(PROJECT_EFFECTS) as Proofs],
];

for (const [operation, proofs] of tables)
  describe(`every field of ${operation} changes something`, () => {
    for (const [field, proof] of proofs)
      if (!('pending' in proof)) it(`${field} does [TASK-01] [TASK-02]`, () => assertEffect(field, proof));
  });

it('what changes nothing yet is known by name', () => {
  const pending = tables.flatMap(([operation, proofs]) =>
    proofs.flatMap(([field, proof]) => ('pending' in proof ? [`${operation} ${field}`] : [])),
  );
  expect(pending).toEqual(PENDING);
});

describe('the name of a test as a proof', () => {
  const here = 'test/field-effects.test.ts';
  it('is taken when that test is there', () =>
    expect(problemOf(provedBy(here, 'what changes nothing yet is known by name'))).toBeUndefined());
  it('is refused when it is not there, not a title, or only in the full run', () => {
    expect(problemOf(provedBy('test/nowhere.test.ts', 'x'))).toContain('there is no file');
    expect(problemOf(provedBy(here, ['no such', 'title'].join(' ')))).toContain('has no test called');
    expect(problemOf(provedBy(here, 'project.add mcpServers'))).toContain('not as a title');
    expect(problemOf(provedBy('test/e2e/limits.test.ts', FULL))).toContain('does not run in npm test');
  });
});

const FULL = 'asks for a person when a fresh run comes no further, three times in a row [RUN-06]';
