/** How long the start of an agent keeps a supervisor with a lot of memory from everything else. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { AGENTS, ground, runnerOf } from './engine.ts';
import { measure } from './measure.ts';

const MB = 1_024 * 1_024;
const STARTS = 60;
const PAUSE_MS = 0.05;

const p95 = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length * 0.95)] ?? Number.NaN;

const SCHEDSTAT = openSync('/proc/self/schedstat', 'r');
const seen = Buffer.alloc(100);
const [SPACE, ZERO] = [32, 48];

/**
 * Milliseconds in which this thread could have run, and the kernel let another have the core: the second number there. It is asked
 * all the time and so makes no garbage.
 */
function preemptedMs(): number {
  readSync(SCHEDSTAT, seen, 0, seen.length, 0);
  let at = seen.indexOf(SPACE) + 1;
  let sum = 0;
  for (; seen[at] !== SPACE; at += 1) sum = sum * 10 + (seen[at] ?? ZERO) - ZERO;
  return sum / 1e6;
}

/**
 * The longest time in which the loop could do nothing else while the work was under way. What the machine gave to other
 * processes, as to those that are being started, is not the loop's doing.
 */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  const clock = () => performance.now() - preemptedMs();
  let [longest, last, going] = [0, clock(), true];
  const probe = () => {
    let now = clock();
    // Each turn of the loop makes some garbage: without a pause, that of the probe alone would be collected all the time.
    while (now - last < PAUSE_MS) now = clock();
    longest = Math.max(longest, now - last);
    last = now;
    if (going) setImmediate(probe);
  };
  setImmediate(probe);
  await work();
  going = false;
  return Math.max(longest, clock() - last);
}

async function startBlock(): Promise<void> {
  await using at = await ground({});
  const runner = await runnerOf(at.house);
  const ballast = Array.from({ length: 500 }, () => Buffer.alloc(MB, 1));
  const [echo, sends, starts, direct]: [ChildProcess, number[], number[], number[]] = [
    spawn('/bin/cat', { stdio: ['pipe', 'pipe', 'ignore'] }),
    [],
    [],
    [],
  ];
  const [program, ...args] = AGENTS.noop;
  const env = { PATH: process.env['PATH'] ?? '' };
  await mkdir(at.house.paths.runs, { recursive: true });
  for (let n = 0; n < STARTS; n += 1) {
    sends.push(
      await longestBlock(async () => {
        echo.stdin?.write(Buffer.alloc(1_000, 'x'));
        await once(echo.stdout as NodeJS.ReadableStream, 'data');
      }),
    );
    const start = {
      mode: 'oneway',
      command: program,
      args,
      directory: at.house.paths.path,
      env,
      files: [{ name: 'prompt.txt', text: 'x' }],
      steps: [],
    } as const;
    starts.push(await longestBlock(() => runner.start(at.house.ids.run(), start)));
  }
  // Afterwards: each fork of this process makes it copy its pages again for some time.
  while (direct.length < STARTS / 4)
    direct.push(await longestBlock(() => once(spawn(program, args, { stdio: 'ignore', detached: true }), 'exit')));
  echo.kill('SIGKILL');
  await runner.close();
  const name = `a start blocks the loop at ${ballast.length} MB, p95`;
  const product = () => p95(starts);
  await measure({ id: 'P6', name: `${name} v 1 ms`, goal: { atMost: 1 }, once: true, floor: () => 1, product });
  await measure({ id: 'P6', name: `${name} v a message`, once: true, floor: () => p95(sends), product });
  await measure({ id: 'P6', name: `${name} v spawn here`, once: true, floor: () => p95(direct), product });
}

await startBlock();
