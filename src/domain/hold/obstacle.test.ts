import { expect, it } from 'vitest';
import { RunId } from '../values.ts';
import { obstacleTo, type StartConditions } from './obstacle.ts';
import { pauseAfterRefusal } from './pause.ts';

const free: StartConditions = {
  canStart: ({ executor, placement }) => executor === 'claude' && placement === 'in_place',
  scopes: [
    { scope: 'fleet', max: 3 },
    { scope: 'executor:claude', max: 2 },
  ],
  countHolders: () => 0,
  now: '2030-01-01T12:00:00.000Z',
};
const taken = (counts: Record<string, number>): StartConditions => ({ ...free, countHolders: (scope) => counts[scope] ?? 0 });

it('names what keeps a task from starting: first what can never run here, then what is full', () => {
  const work = { executor: 'claude', placement: 'in_place' } as const;
  expect(obstacleTo(work, free)).toBeUndefined();
  expect(obstacleTo(work, taken({ fleet: 2, 'executor:claude': 1 }))).toBeUndefined();
  expect(obstacleTo(work, taken({ fleet: 3, 'executor:claude': 2 }))).toEqual({ kind: 'full', scope: 'fleet', max: 3 });
  expect(obstacleTo(work, taken({ 'executor:claude': 2 }))).toEqual({ kind: 'full', scope: 'executor:claude', max: 2 });
  const pause = pauseAfterRefusal(undefined, {
    executor: 'claude',
    runId: RunId.parse('run_01jz0000000000000000000001'),
    claimedAt: free.now,
    at: free.now,
    why: 'enough',
    jitter: 1,
  });
  expect(obstacleTo(work, { ...taken({ fleet: 3 }), pause })).toEqual({ kind: 'paused', pause });
  expect(obstacleTo(work, { ...free, pause, now: pause.until })).toBeUndefined();
  const short = { path: '/home', freeBytes: 1, reserveBytes: 2 };
  expect(obstacleTo(work, { ...taken({ fleet: 3 }), pause, short })).toEqual({ kind: 'disk', short });
  const full = { ...taken({ fleet: 3 }), short };
  expect(obstacleTo({ executor: 'gemini', placement: 'in_place' }, full)).toEqual({ kind: 'executor', executor: 'gemini' });
  expect(obstacleTo({ executor: 'claude', placement: 'any' }, full)).toEqual({ kind: 'placement' });
});
