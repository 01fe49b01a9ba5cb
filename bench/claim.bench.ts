/** A claim costs the same however many tasks wait, also when nearly all of them stand in a lane without room. */
import { engineDeps } from '../src/app/engine-deps.ts';
import { executorRegistry } from '../src/app/executor-registry.ts';
import type { HostId, RunId } from '../src/domain/values.ts';
import { takeTurn } from '../src/engine/controller.ts';
import type { EngineDeps } from '../src/engine/deps.ts';
import { dispatch } from '../src/engine/dispatch.ts';
import { settle } from '../src/engine/settle.ts';
import { measure, median, timed } from './measure.ts';
import { fillQueue, queuedTask } from './queue.ts';
import { addProject, temporaryHouse } from './temporary-home.ts';

const CLAIMS_PER_SAMPLE = 50;
const FULL_SHARE = 0.95;
const FULL_AT = 4;
const OTHER_PROJECTS = 4;

/** A queue of `count`: 95 in 100 in one lane whose executor has no room, the others in the lanes of four projects. */
async function queueOf(count: number) {
  const made = await temporaryHouse({ FLEET_MAX_CONCURRENT: '50', FLEET_LIMIT_EXECUTOR: `codex=${FULL_AT}` });
  const { house, project } = made;
  const others = await Promise.all(Array.from({ length: OTHER_PROJECTS }, (_, n) => addProject(house, `other-${n}`)));
  const full = { projectId: project.id, executors: ['codex'] };
  const free = others.map(({ id }) => ({ projectId: id, executors: ['claude'] }));
  const freeFor = (number: number) => free[number % free.length] ?? full;
  await fillQueue(house, count + FULL_AT, (number) => (number < count * FULL_SHARE + FULL_AT ? full : freeFor(number)));

  const claimed: RunId[] = [];
  const ids = { run: () => claimed[claimed.push(house.ids.run()) - 1] as RunId };
  const needs = (executor: string): EngineDeps => ({
    ...engineDeps(
      house,
      { id: 'host_here' as HostId, name: 'here', former: [] },
      executorRegistry(house.paths, process.env, { settings: () => house.settings.current().values }),
    ),
    ids,
    startable: async () => (work) => work.executor === executor,
    roomHere: async () => 1,
  });
  for (let taken = 0; taken < FULL_AT; taken += 1) await takeTurn(dispatch(needs('codex')));

  const controller = dispatch({ ...needs('claude'), startable: async () => () => true });
  let topped = 0;
  /** One claim, timed; then its run ends and another task takes its place, so that the queue stays as long as it is. */
  const claimMs = async (): Promise<number> => {
    let acted = 0;
    const ms = await timed(async () => {
      ({ acted } = await takeTurn(controller));
    });
    const runId = claimed.at(-1);
    if (acted !== 1 || runId === undefined) throw new Error(`a turn made ${acted} claims, expected 1`);
    await settle(runId, { outcome: 'refused', retryInMs: 0 }, { store: house.store, now: house.now, hostName: 'here' });
    topped += 1;
    await house.store.commit(queuedTask(house, freeFor(topped), house.now()));
    return ms;
  };
  return { claimMs, [Symbol.asyncDispose]: () => made[Symbol.asyncDispose]() };
}

async function claimP50({ claimMs }: { claimMs(): Promise<number> }): Promise<number> {
  const times: number[] = [];
  while (times.length < CLAIMS_PER_SAMPLE) times.push(await claimMs());
  return median(times);
}

await using short = await queueOf(1_000);
await using long = await queueOf(100_000);
await measure({
  id: 'P4',
  name: 'claim p50: 100,000 queued, 95,000 in a full lane, v 1,000 [R39] [TASK-13]',
  goal: { atMost: 1.5 },
  floor: () => claimP50(short),
  product: () => claimP50(long),
});
