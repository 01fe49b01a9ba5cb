import { statSync } from 'node:fs';
import { runningTests } from './running-tests.mjs';

const lookEveryMs = 1_000;
/** A start is given this long at least, however short the guard is set: nothing is known of a runner that has not written yet. */
const startMs = 600_000;

/**
 * Calls `hung` with the tests that are running when the file of `running-tests.mjs` has not grown for `afterMs`. A moment in which this process
 * itself did not run (a machine asleep, a stopped terminal) counts as one look, however long it was.
 */
export function hangGuard(file, afterMs, hung) {
  let [size, stillMs, lookedAt] = [-1, 0, performance.now()];
  const timer = setInterval(
    () => {
      const now = performance.now();
      const grown = statSync(file).size;
      stillMs = grown === size ? stillMs + Math.min(now - lookedAt, 2 * lookEveryMs) : 0;
      [size, lookedAt] = [grown, now];
      if (stillMs < (grown === 0 ? Math.max(afterMs, startMs) : afterMs)) return;
      clearInterval(timer);
      hung(runningTests(file));
    },
    Math.min(lookEveryMs, afterMs),
  );
  return { stop: () => clearInterval(timer) };
}
