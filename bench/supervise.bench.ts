/** What the engine adds to the bare start of a program: before its first instruction, and over a whole queue of them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AGENTS, type Agent, type Engine, engineOn, type Ground, ground, wallMs } from './engine.ts';
import { measure, rateOf, timed } from './measure.ts';
import { fillQueue } from './queue.ts';

const IN_FLIGHT = 8;
const DRAINED = 200;
const STARTS = 120;
const TURN = 20;
const QUEUED = 100_000;

interface Stage extends AsyncDisposable {
  readonly at: Ground;
  readonly engine: Engine;
}

/** `queued` more tasks stand in a lane that cannot run here. */
async function stageWith(queued: number): Promise<Stage> {
  const at = await ground({ FLEET_MAX_CONCURRENT: String(IN_FLIGHT) });
  try {
    await fillQueue(at.house, queued, () => ({ directory: join(at.house.paths.path, 'elsewhere'), executors: ['claude'] }));
    const engine = await engineOn(at.house);
    return {
      at,
      engine,
      [Symbol.asyncDispose]: async () => {
        await engine[Symbol.asyncDispose]();
        await at[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await at[Symbol.asyncDispose]();
    throw error;
  }
}

const clockIn = async (file: string): Promise<number> => Number(await readFile(file, 'utf8')) / 1e6;

/** Milliseconds from a bare start of the clock to what it says. */
async function bareStart(file: string): Promise<number> {
  const out = await open(file, 'w');
  const [program, ...args] = AGENTS.clock;
  const begun = wallMs();
  await once(spawn(program, args, { stdio: ['ignore', out.fd, 'ignore'], detached: true }), 'exit');
  await out.close();
  return (await clockIn(file)) - begun;
}

/** Milliseconds from the commit of a claim to what the clock says that it was claimed for. */
async function start({ at, engine }: Stage): Promise<number> {
  const claimed = engine.reached('claimed', 1);
  const ended = engine.reached('ended', 1);
  await at.queue('clock', 1);
  const { run } = await ended;
  return (await clockIn(join(at.house.paths.runs, run.id, 'out'))) - (await claimed).at;
}

const share = (figures: readonly number[], part: number): number =>
  figures.toSorted((a, b) => a - b)[Math.min(figures.length - 1, Math.floor(figures.length * part))] ?? Number.NaN;

const bareRate = (agent: Agent) => (): Promise<number> => {
  const [program, ...args] = AGENTS[agent];
  return rateOf(Array.from({ length: DRAINED }), IN_FLIGHT, () =>
    once(spawn(program, args, { stdio: 'ignore', detached: true }), 'exit'),
  );
};

const drainRate =
  ({ at, engine }: Stage, count: number) =>
  async (): Promise<number> => {
    const drained = engine.reached('ended', count);
    const ms = await timed(async () => {
      await at.queue('noop', count);
      await drained;
    });
    return (count / ms) * 1_000;
  };

await using calm = await stageWith(0);
const bare: number[] = [];
const ours: number[] = [];
// In turns of many: each fork of this process makes it copy its pages for some time after, and a product start never forks it.
while (ours.length < STARTS) {
  for (let n = 0; n < TURN; n += 1) bare.push(await bareStart(join(calm.at.house.paths.path, 'clock')));
  for (let n = 0; n < TURN; n += 1) ours.push(await start(calm));
}
for (const [part, limitMs] of [
  [0.5, 2],
  [0.99, 10],
] as const)
  await measure({
    id: 'P1',
    name: `claim to first instruction, p${part * 100} added v ${limitMs} ms`,
    goal: { atMost: 1 },
    once: true,
    floor: () => limitMs,
    product: () => share(ours, part) - share(bare, part),
  });

await measure({
  id: 'P2',
  name: `${DRAINED} tasks drained, ${IN_FLIGHT} at once v bare spawns`,
  goal: { atLeast: 0.4 },
  pairs: 5,
  warmUps: 1,
  floor: bareRate('noop'),
  product: drainRate(calm, DRAINED),
});

await using long = await stageWith(QUEUED);
await measure({
  id: 'P3',
  name: `${DRAINED / 2} drained with ${QUEUED.toLocaleString('en')} more queued v without`,
  goal: { atLeast: 0.9 },
  pairs: 3,
  warmUps: 0,
  floor: drainRate(calm, DRAINED / 2),
  product: drainRate(long, DRAINED / 2),
});
