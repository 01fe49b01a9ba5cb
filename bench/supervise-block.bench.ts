/** How long the start of an agent keeps a supervisor with a lot of memory from everything else. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { AGENTS, ground, runnerOf } from './engine.ts';
import { measure } from './measure.ts';

const MB = 1_024 * 1_024;
const STARTS = 60;

const p95 = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length * 0.95)] ?? Number.NaN;

/** Milliseconds in which this thread could have run, and the kernel let another have the core. */
const preemptedMs = (): number => Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;

/**
 * The longest time in which the loop could do nothing else while the work was under way. What the machine gave to other
 * processes, as to those that are being started, is not the loop's doing.
 */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  const clock = () => performance.now() - preemptedMs();
  let [longest, last, going] = [0, clock(), true];
  const probe = () => {
    const now = clock();
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
