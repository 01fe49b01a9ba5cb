import { expect, it } from 'vitest';
import { lockInTheWay } from './stale-lock.ts';

it('the lock in the way of git is found wherever it is named, and nothing else is taken for one [R29]', () => {
  const path = "/it's here/.git/refs/heads/x.lock";
  for (const before of ['fatal: ', "fatal: cannot lock ref 'refs/heads/x': "])
    expect(lockInTheWay(`${before}Unable to create '${path}': File exists.\n\nAnother git process`)).toBe(path);
  expect(lockInTheWay("fatal: Unable to create '/a.lock': Permission denied")).toBeUndefined();
  expect(lockInTheWay("fatal: Unable to create '/a': File exists")).toBeUndefined();
});
