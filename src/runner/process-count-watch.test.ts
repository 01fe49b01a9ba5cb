import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Ground, heard } from './fixtures/ground.ts';
import { processCountWatch } from './process-count-watch.ts';
import { endRun } from './terminate-tree.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await Ground.open();
});
afterEach(() => ground.expectNobody());
afterAll(() => ground.close());

it('counts the processes of runs when the machine has gained many, and until none has too many [R22]', async () => {
  const crowd = await ground.start('n=0; while [ $n -lt 12 ]; do n=$((n + 1)); sleep 1000 & done; echo ready; wait');
  const few = await ground.start('sleep 1000 & echo ready; wait');
  await Promise.all([heard(crowd, 'ready'), heard(few, 'ready')]);
  let threads = 500;
  const crowded = processCountWatch({ threads: () => threads, everyMs: 0 });
  const runs = [crowd, few];
  // The shim, the agent and twelve more.
  expect([...(await crowded(runs, 13))]).toEqual([[crowd.id, 14]]);
  expect([...(await crowded(runs, 13))]).toEqual([[crowd.id, 14]]);
  expect([...(await crowded(runs, 14))]).toEqual([]);
  // From now on it looks at the machine alone.
  threads += 2;
  expect([...(await crowded(runs, 12))]).toEqual([]);
  threads -= 100;
  expect([...(await crowded(runs, 12))]).toEqual([]);
  threads += 3;
  expect([...(await crowded(runs, 12))]).toEqual([[crowd.id, 14]]);
  await Promise.all(runs.map((run) => endRun(run, { graceMs: 0, hardMs: 10_000 })));
});

it('finds a crowd without being told how many there are on the machine', async () => {
  const run = await ground.start('sleep 1000 & sleep 1000 & echo ready; wait');
  await heard(run, 'ready');
  const crowded = processCountWatch({ threads: () => undefined, everyMs: 0 });
  for (let look = 0; look < 2; look += 1) {
    expect([...(await crowded([run], 3))]).toEqual([[run.id, 4]]);
    expect([...(await crowded([run], 4))]).toEqual([]);
  }
  await endRun(run, { graceMs: 0, hardMs: 10_000 });
});
