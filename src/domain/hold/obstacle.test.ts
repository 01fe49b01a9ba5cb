import { expect, it } from 'vitest';
import { RunId } from '../values.ts';
import { type Circumstances, obstacleTo } from './obstacle.ts';
import { refused } from './pause.ts';

const around: Circumstances = {
  startable: ({ executor, placement }) => executor === 'claude' && placement === 'in_place',
  scopes: [
    { scope: 'fleet', max: 3 },
    { scope: 'executor:claude', max: 2 },
  ],
  taken: () => 0,
  now: '2030-01-01T12:00:00.000Z',
};
const taken = (counts: Record<string, number>): Circumstances => ({ ...around, taken: (scope) => counts[scope] ?? 0 });

it('names what keeps work from being started: what can never be here, then what is full', () => {
  const work = { executor: 'claude', placement: 'in_place' } as const;
  expect(obstacleTo(work, around)).toBeUndefined();
  expect(obstacleTo(work, taken({ fleet: 2, 'executor:claude': 1 }))).toBeUndefined();
  expect(obstacleTo(work, taken({ fleet: 3, 'executor:claude': 2 }))).toEqual({ kind: 'full', scope: 'fleet', max: 3 });
  expect(obstacleTo(work, taken({ 'executor:claude': 2 }))).toEqual({ kind: 'full', scope: 'executor:claude', max: 2 });
  const pause = refused(undefined, {
    executor: 'claude',
    runId: RunId.parse('run_01jz0000000000000000000001'),
    claimedAt: around.now,
    at: around.now,
    why: 'enough',
    jitter: 1,
  });
  expect(obstacleTo(work, { ...taken({ fleet: 3 }), pause })).toEqual({ kind: 'paused', pause });
  expect(obstacleTo(work, { ...around, pause, now: pause.until })).toBeUndefined();
  const short = { path: '/home', freeBytes: 1, reserveBytes: 2 };
  expect(obstacleTo(work, { ...taken({ fleet: 3 }), pause, short })).toEqual({ kind: 'disk', short });
  const full = { ...taken({ fleet: 3 }), short };
  expect(obstacleTo({ executor: 'gemini', placement: 'in_place' }, full)).toEqual({ kind: 'executor', executor: 'gemini' });
  expect(obstacleTo({ executor: 'claude', placement: 'any' }, full)).toEqual({ kind: 'placement' });
});
