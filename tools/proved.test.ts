import { expect, it } from 'vitest';
import { type Claims, judge } from './proved.ts';

const claims = { known: ['TASK-01', 'TASK-02', 'R1', 'P1'], open: ['TASK-02'], fullRun: ['R1'], figures: ['P1'] };
const unproved = (tests: Parameters<typeof judge>[0], given: Claims, isFull: boolean) => judge(tests, given, isFull).wrong;
const ran = (fullName: string, status = 'passed') => ({ fullName, status });
const one = ran('the queue keeps its order [TASK-01]');
const long = ran('a kill of everything [R1] (full run only)', 'skipped');

it('believes a test that passed, one of the full run that is listed, a benchmark, and what is open', () => {
  expect(unproved([one, long], claims, false)).toEqual([]);
  expect(unproved([one, { ...long, status: 'passed' }], claims, true)).toEqual([]);
});

it('believes no test that was skipped, failed or is gone', () => {
  for (const tests of [[], [{ ...one, status: 'skipped' }], [{ ...one, status: 'failed' }], [{ ...one, status: 'todo' }]])
    expect(unproved([...tests, long], claims, false)).toEqual([expect.stringMatching(/^TASK-01 is proved by no test that ran/)]);
});

it('wants what only the full run proves to be listed, to be there, and to run in the full run', () => {
  expect(unproved([one, long], { ...claims, fullRun: [] }, false)).toEqual([expect.stringMatching(/^R1 is proved by no test/)]);
  expect(unproved([one], claims, false)).toEqual([expect.stringMatching(/^R1 is proved by no test/)]);
  expect(unproved([one, long], claims, true)).toEqual([expect.stringMatching(/^R1 is proved by no test/)]);
});

it('wants nothing listed that npm test proves, or that is open', () => {
  expect(unproved([one, long, ran('short [R1]')], claims, false)).toEqual([expect.stringMatching(/^R1 is proved by npm test/)]);
  expect(unproved([one, long], { ...claims, fullRun: ['R1', 'TASK-02'] }, false)).toEqual([
    'TASK-02 of test/full-run-requirements.ts is open or unknown',
  ]);
});

it('tells apart what cannot be proved on this machine', () => {
  const boxed = ran('a sandbox holds [TASK-01]; not run: there is no bubblewrap', 'skipped');
  expect(judge([boxed, long], claims, false)).toEqual({ wrong: [], elsewhere: ['TASK-01'] });
  expect(judge([boxed, one, long], claims, false)).toEqual({ wrong: [], elsewhere: [] });
});
