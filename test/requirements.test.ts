import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { citedRequirements, idsIn } from './cited-requirements.ts';
import { OPEN_AT_MOST, openRequirements } from './open-requirements.ts';
import { requirements } from './requirements.ts';

const known = new Set(requirements.map(({ id }) => id));
const cited = citedRequirements(join(import.meta.dirname, '..'));
const open = new Set(openRequirements);

describe('the requirements', () => {
  it('have ids of their own', () => expect(known.size).toBe(requirements.length));

  it('are the only ids that tests cite', () => {
    const unknown = [...cited].filter(([id]) => !known.has(id)).map(([id, files]) => `${id} in ${files.join(', ')}`);
    expect(unknown.join(' '), 'cited, but not in test/requirements.ts').toBe('');
  });

  it('are each cited by a test or listed as open', () => {
    const forgotten = [...known].filter((id) => !cited.has(id) && !open.has(id));
    expect(forgotten.join(' '), 'cited by no test and not in test/open-requirements.ts').toBe('');
  });

  it('leave the open list when a test cites them', () => {
    const proved = openRequirements.filter((id) => cited.has(id));
    expect(proved.join(' '), 'cited by a test: take them off test/open-requirements.ts and lower OPEN_AT_MOST').toBe('');
  });

  it('are listed as open once, and only if they exist', () => {
    expect(openRequirements.filter((id) => !known.has(id))).toEqual([]);
    expect(open.size).toBe(openRequirements.length);
  });

  it('are open in a number that is written down, so that it only goes down', () =>
    expect(openRequirements.length).toBe(OPEN_AT_MOST));
});

describe('a citation', () => {
  it('is one id or several in brackets in a title', () => {
    expect(idsIn("it('names the path of a cycle [TASK-03]', …)\nit('twice is once [R13, TASK-08]', …)")).toEqual(
      new Set(['TASK-03', 'R13', 'TASK-08']),
    );
  });

  it('is not a word in a comment or an index', () => {
    expect(idsIn('// see [TASK-03]\n * [TASK-04]\nconst x = rows[P1];')).toEqual(new Set());
  });
});
