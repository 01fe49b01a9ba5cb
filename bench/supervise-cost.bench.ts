/** What running agents cost the supervisor: its memory, its idle hours, and its own return. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { engineOn, type Ground, ground, liveRuns } from './engine.ts';
import { measure, timed } from './measure.ts';

const FULL = process.env['FLEET_BENCH_FULL'] === '1';
const FLEET = fileURLToPath(new URL('../dist/fleet.mjs', import.meta.url));
const SUPERVISED = 100;
const ADOPTED = 50;
const IDLE_MS = 30_000;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Resident memory once garbage is gone, and open descriptors while nothing is being read. */
async function held(): Promise<{ rss: number; files: number }> {
  let [rss, files] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let look = 0; look < 20; look += 1) {
    if (look % 5 === 0) collect();
    await passed(37);
    rss = Math.min(rss, process.memoryUsage.rss());
    files = Math.min(files, readdirSync('/proc/self/fd').length);
  }
  return { rss, files };
}

async function memoryPerAgent(): Promise<void> {
  await using at = await ground({ FLEET_MAX_CONCURRENT: String(2 * SUPERVISED) });
  await using engine = await engineOn(at.house);
  const running = async (count: number) => {
    const begun = engine.reached('running', count);
    await at.queue('silent', count);
    await begun;
  };
  // As many before: what the first ones leave in compiled code, pools and caches is there once, not once per agent.
  await running(SUPERVISED);
  const before = await held();
  await running(SUPERVISED);
  const after = await held();
  const kilobytes = (after.rss - before.rss) / 1_024 / SUPERVISED;
  const name = `${SUPERVISED} silent agents supervised`;
  const goal = { atMost: 1 };
  await measure({
    id: 'P9',
    name: `${name}, memory of each v 100 KB`,
    goal,
    once: true,
    floor: () => 100,
    product: () => kilobytes,
  });
  const files = after.files - before.files;
  await measure({ id: 'P9', name: `${name}, descriptors of all v 2`, goal, once: true, floor: () => 2, product: () => files });
}

interface Fleet extends AsyncDisposable {
  readonly process: ChildProcess;
}

/** `fleet up` as a process of its own; it dies without a chance to do anything about it. */
function fleetUp({ house }: Ground, env: Readonly<Record<string, string>>): Fleet {
  const child = spawn(process.execPath, [FLEET, 'up'], {
    env: { ...process.env, ...env, FLEET_PORT: '0', FLEET_HOME: house.paths.path },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  return {
    process: child,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Resolves when every one of so many runs is running and has been read this far. */
async function allSeen({ house }: Ground, fleet: Fleet, { count, lines }: { count: number; lines: number }): Promise<void> {
  for (;;) {
    if (fleet.process.exitCode !== null) throw new Error(`fleet up ended with ${fleet.process.exitCode}`);
    const seen = (await liveRuns(house)).filter(({ phase, watch }) => phase.state === 'running' && (watch?.lines ?? 0) >= lines);
    if (seen.length >= count) return;
    await passed(10);
  }
}

/** Time on a processor so far, of all its threads, in milliseconds. */
const onCpuMs = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6)
    .reduce((sum, ms) => sum + ms, 0);

async function adoption(count: number, limitMs: number, idle: boolean): Promise<void> {
  const env = { FLEET_MAX_CONCURRENT: String(count) };
  await using at = await ground(env);
  await at.queue('silent', count);
  let lines = 0;
  {
    await using first = fleetUp(at, env);
    await allSeen(at, first, { count, lines });
  }
  /** Each agent prints a line while nobody watches: a run is adopted when it was read. */
  const returnMs = async (): Promise<number> => {
    lines += 1;
    for (const { id } of await liveRuns(at.house)) await appendFile(join(at.house.paths.runs, id, 'out'), 'still here\n');
    let next: Fleet | undefined;
    const ms = await timed(async () => {
      next = fleetUp(at, env);
      await allSeen(at, next, { count, lines });
    });
    await next?.[Symbol.asyncDispose]();
    return ms;
  };
  const name = `${count} agents adopted after a kill`;
  const product = returnMs;
  await measure({
    id: 'P18',
    name: `${name} v ${limitMs} ms`,
    goal: { atMost: 1 },
    pairs: 3,
    warmUps: 0,
    floor: () => limitMs,
    product,
  });
  const bare = () => timed(() => spawnSync(process.execPath, ['-e', '0']));
  await measure({ id: 'P18', name: `${name} v node -e 0`, pairs: 3, warmUps: 0, floor: bare, product });
  if (!idle) return;
  await using still = fleetUp(at, env);
  await allSeen(at, still, { count, lines });
  // Idle it is once the start has been compiled, collected and looked over.
  await passed(30_000);
  const pid = still.process.pid ?? 0;
  const begun = onCpuMs(pid);
  const wallMs = await timed(() => passed(IDLE_MS));
  const busy = (onCpuMs(pid) - begun) / wallMs;
  const of = { goal: { atMost: 1 }, once: true, floor: () => 0.01, product: () => busy };
  await measure({ id: 'P19', name: `${count} silent agents, share of a core v 1 %`, ...of });
}

await memoryPerAgent();
await adoption(ADOPTED, 1_000, true);
if (FULL) await adoption(500, 3_000, false);
