import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { inFullRun } from '../../test/full-only.ts';
import { bundlePrograms } from '../platform/bundle.ts';
import { Ground } from './fixtures/ground.ts';
import type { Row } from './fixtures/supervisor.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await Ground.open();
});
afterEach(() => ground.expectNobody());
afterAll(() => ground.close());

const KILLS = inFullRun ? 60 : 20;
const TASKS = inFullRun ? 400 : 80;

it('a supervisor killed again and again runs each agent once and gets every line and code', async () => {
  const folder = bundlePrograms({
    supervisor: new URL('./fixtures/supervisor.ts', import.meta.url),
    'spawn-helper': new URL('./spawn-helper.ts', import.meta.url),
  });
  const args = [fileURLToPath(new URL('supervisor.mjs', folder)), ground.home, ground.mark, ground.shim, String(TASKS)];
  for (let kills = 0; kills < KILLS; kills += 1) await liveAndDie(args, kills % 2 === 0 ? randomInt(150) : randomInt(150, 500));
  const [code] = await once(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }), 'exit');
  expect(code).toBe(0);

  const tasks = Array.from({ length: TASKS }, (_, task) => task);
  const ledger = readFileSync(join(ground.home, 'ledger'), 'utf8').trim().split('\n').map(Number);
  expect(ledger.toSorted((a, b) => a - b)).toEqual(tasks);
  const rows = tasks.map((task) => JSON.parse(readFileSync(join(ground.home, 'table', String(task)), 'utf8')) as Row);
  expect(rows.map(({ phase }) => phase)).toEqual(tasks.map(() => 'done'));
  expect(rows.map(({ code: exited }) => exited)).toEqual(tasks.map((task) => task % 100));
  for (const [task, { lines }] of rows.entries())
    expect(lines).toEqual(Array.from({ length: 20 }, (_, n) => `${task} line ${n}`));
});

/** Killed this long after it began to work. */
async function liveAndDie(args: readonly string[], afterMs: number): Promise<void> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), ended]);
  await sleep(afterMs);
  child.kill('SIGKILL');
  await ended;
}
