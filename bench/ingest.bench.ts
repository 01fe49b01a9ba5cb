/** Reading what agents print, against a loop that does nothing but read a file and cut it into lines. */
import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { engineDeps, supervisionOf } from '../src/app/engine-deps.ts';
import { executorRegistry } from '../src/app/executor-registry.ts';
import type { Executor } from '../src/domain/agent/executor.ts';
import { takeTurn } from '../src/engine/controller.ts';
import { dispatch } from '../src/engine/dispatch.ts';
import type { RunState } from '../src/engine/supervise/deps.ts';
import { supervise } from '../src/engine/supervise/supervise.ts';
import { runs } from '../src/store/records/runs.ts';
import { ground, liveRuns, runnerOf } from './engine.ts';
import { measure, timed } from './measure.ts';

const MB = 1_024 * 1_024;
const SPOOL_BYTES = (process.env['FLEET_BENCH_FULL'] === '1' ? 1_024 : 200) * MB;
const LINE_BYTES = 478;
const SLICE_BYTES = 256 * 1_024;
const GROWTH_MB = 30;
const BLOCK_MS = 50;
const PAIRS = 3;

/** One JSON object per line, each as long as the others: mostly words, some tools, now and then what it cost. */
function line(n: number): string {
  const filler = createHash('sha256').update(String(n)).digest('hex').repeat(8);
  const [head, tail] = [
    ['{"type":"said","text":"', '"}\n'],
    [`{"type":"tool","id":"t${n}","name":"edit","detail":"`, '"}\n'],
    [`{"type":"tool-done","id":"t${n - 1}","ok":true,"rest":"`, '"}\n'],
    ['{"type":"spent","inputTokens":900,"outputTokens":80,"rest":"', '"}\n'],
  ][n % 4] as [string, string];
  return `${head}${filler.slice(0, LINE_BYTES - head.length - tail.length)}${tail}`;
}

async function fill(path: string): Promise<void> {
  const block = Buffer.from(Array.from({ length: 4_000 }, (_, n) => line(n)).join(''));
  const file = await open(path, 'w');
  for (let bytes = 0; bytes < SPOOL_BYTES; bytes += block.length) await file.write(block);
  await file.close();
}

/** Megabytes per second. */
async function tailAndSplit(path: string): Promise<number> {
  let lines = 0;
  const ms = await timed(async () => {
    const file = await open(path);
    const buffer = Buffer.allocUnsafe(SLICE_BYTES);
    let rest = '';
    for (let at = 0; ; ) {
      const { bytesRead } = await file.read(buffer, 0, SLICE_BYTES, at);
      if (bytesRead === 0) break;
      at += bytesRead;
      const cut = (rest + buffer.toString('utf8', 0, bytesRead)).split('\n');
      rest = cut.pop() ?? '';
      lines += cut.length;
    }
    await file.close();
  });
  if (lines < SPOOL_BYTES / LINE_BYTES) throw new Error(`only ${lines} lines were seen`);
  return (SPOOL_BYTES / MB / ms) * 1_000;
}

const growths: number[] = [];
const blocks: number[] = [];

await using at = await ground();
const { house } = at;
const runner = await runnerOf(house);
const executors = executorRegistry(house.paths, process.env, { settings: () => house.settings.current().values });
const scripted = (await executors.all()).get('scripted') as Executor;
const needs = {
  ...engineDeps(house, await house.host(), executors),
  ...supervisionOf(house, process.env, { runner, executors }),
  log: () => {},
};
// One claimed run whose spool is there already; to the supervisor it is alive and has just printed all of it.
await at.queue('silent', 1);
await takeTurn(dispatch(needs));
const [claimed] = await liveRuns(house);
if (!claimed) throw new Error('nothing was claimed');
const spool = join(house.paths.runs, claimed.id, 'out');
await mkdir(join(house.paths.runs, claimed.id), { recursive: true });
await fill(spool);
const identity = { boot: 'here', shim: { pid: 1, started: '1' }, agent: { pid: 1, started: '1' } };
const look: RunState = { state: 'alive', identity, listens: false, outBytes: SPOOL_BYTES, errBytes: 0 };
const watching = supervise({
  ...needs,
  runner: { ...runner, look: async () => look },
  executor: async () => scripted,
  place: async () => ({ state: 'here' }),
  preserveWork: async () => ({}),
  saveTurn: () => undefined,
  collectFinalQuestions: async () => undefined,
  onPreserved: () => undefined,
  rules: () => ({
    stallMs: 3_600_000,
    spoolBytes: 4 * SPOOL_BYTES,
    contextPercent: 100,
    sandboxSeconds: 86_400,
    processes: 1_000,
  }),
});
await takeTurn(watching);

const isWritten = async (): Promise<boolean> =>
  ((await runs.get(house.store, claimed?.id ?? ''))?.body.watch?.offset ?? 0) >= SPOOL_BYTES;

/** The supervisor takes turns until it has read everything: lines, events, and the row in the store. */
async function ingested(): Promise<number> {
  const seen = await runs.get(house.store, claimed?.id ?? '');
  if (!seen?.body.watch) throw new Error('the run was not adopted');
  const begun = { ...seen.body.watch, offset: 0, lines: 0, events: 0 };
  await house.store.commit([runs.put({ ...seen.body, watch: begun }, seen.version)]);
  const before = process.memoryUsage.rss();
  let [most, longest, last] = [before, 0, performance.now()];
  const probe = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
    most = Math.max(most, process.memoryUsage.rss());
  }, 1);
  const ms = await timed(async () => {
    // As the engine's loop does: at once again while there is something to do, and when something falls due by itself.
    for (let turn = await takeTurn(watching); turn.acted > 0 || !(await isWritten()); turn = await takeTurn(watching))
      if (turn.acted === 0) await new Promise((resolve) => setTimeout(resolve, turn.dueInMs ?? 1_000));
  });
  clearInterval(probe);
  growths.push((most - before) / MB);
  blocks.push(longest);
  return (SPOOL_BYTES / MB / ms) * 1_000;
}

try {
  const name = `${SPOOL_BYTES / MB} MB of agent output read`;
  const floor = () => tailAndSplit(spool);
  await measure({
    id: 'P7',
    name: `${name} v tail and split`,
    goal: { atLeast: 0.35 },
    pairs: PAIRS,
    warmUps: 1,
    floor,
    product: ingested,
  });
  const settled = growths.slice(1);
  const grown = () => Math.max(...settled);
  await measure({
    id: 'P7',
    name: `${name}, memory v ${GROWTH_MB} MB`,
    goal: { atMost: 1 },
    once: true,
    floor: () => GROWTH_MB,
    product: grown,
  });
  const blocked = () => blocks.toSorted((a, b) => a - b)[Math.floor(blocks.length / 2)] ?? Number.NaN;
  await measure({
    id: 'P7',
    name: `${name}, longest block v ${BLOCK_MS} ms`,
    goal: { atMost: 1 },
    once: true,
    floor: () => BLOCK_MS,
    product: blocked,
  });
} finally {
  await runner.close();
}
