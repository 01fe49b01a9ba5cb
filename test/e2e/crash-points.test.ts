import type { ChildProcess } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { CRASH_VERBS } from '../../src/app/crash-points.ts';
import { fullOnly } from '../full-only.ts';
import { type CliHouse, cliHouse } from '../support/cli-house.ts';

interface TaskJson {
  readonly id: string;
  readonly phase: { readonly state: string };
}

const AT_ONCE = 4;
/** An engine that came through the whole scenario alive has passed fewer points of that kind than asked for. */
const MOST_POINTS = 40;

const ended = (engine: ChildProcess) =>
  engine.exitCode !== null || engine.signalCode !== null
    ? Promise.resolve()
    : new Promise<void>((resolve) => engine.once('exit', () => resolve()));

/** Answers the question of the scenario as soon as somebody asks it. */
async function answerAll(house: CliHouse): Promise<void> {
  const { items } = (await house.ok(['question', 'list', '--json'])).json<{ items: { id: string }[] }>();
  for (const { id } of items) await house.fleet(['question', 'answer', id, 'blue']);
}

/** Whether the engine died at the point, and whether everything came to its end after that, once. */
async function dieAt(point: string): Promise<boolean> {
  await using house = await cliHouse();
  const work = join(house.directory, 'work');
  await mkdir(work);
  await house.ok(['config', 'set', 'executor=scripted', 'grace_seconds=1']);
  const create = async (scenario: string, ...more: string[]) =>
    (
      await house.ok([
        'task',
        'create',
        '--directory',
        work,
        '--prompt',
        `\`\`\`scenario\n${scenario}\n\`\`\``,
        '--json',
        ...more,
      ])
    ).json<TaskJson>().id;
  const asks = await create('twoway\nmark ledger\nask Which colour? | red | blue\ndone painted');
  const waits = await create('mark ledger\ndaemonise 600000\nsay second\ndone finished', '--after', asks);
  const states = async () =>
    Promise.all([asks, waits].map(async (id) => (await house.ok(['task', 'show', id, '--json'])).json<TaskJson>().phase.state));
  const settle = (engine: ChildProcess) =>
    vi.waitFor(
      async () => {
        if (engine.signalCode !== null) return;
        await answerAll(house);
        expect(await states()).toEqual(['done', 'done']);
      },
      { timeout: 60_000, interval: 300 },
    );
  const doomed = house.start(['up'], { FLEET_CRASH_AT: point });
  await settle(doomed);
  const died = doomed.signalCode === 'SIGKILL';
  if (!died) {
    doomed.kill('SIGTERM');
    await ended(doomed);
    return false;
  }
  const next = house.start(['up']);
  await settle(next);
  expect({ point, states: await states() }).toEqual({ point, states: ['done', 'done'] });
  const ran = (await readFile(join(work, 'ledger'), 'utf8')).trim().split('\n');
  expect({ point, ran: ran.length }).toEqual({ point, ran: 2 });
  next.kill('SIGTERM');
  await ended(next);
  return true;
}

const MOMENTS = ['before', 'after'] as const;
const KINDS = CRASH_VERBS.flatMap((verb) => MOMENTS.map((moment) => `${verb}.${moment}`));

async function dieAtAll(points: readonly string[]): Promise<string[]> {
  const reached: string[] = [];
  for (let from = 0; from < points.length; from += AT_ONCE) {
    const some = points.slice(from, from + AT_ONCE);
    const died = await Promise.all(some.map(dieAt));
    reached.push(...some.filter((_, index) => died[index]));
  }
  return reached;
}

describe('an engine that dies between any two of its effects', () => {
  it('is followed by one that goes on: nothing runs twice, nothing is left [R2]', async () => {
    const points = [
      ...KINDS.filter((kind) => kind.endsWith('after')).map((kind) => `${kind}:1`),
      'commit.before:3',
      'commit.after:4',
    ];
    const reached = await dieAtAll(points);
    // Nobody forestalls anything in this scenario; every other effect happens in it.
    expect(points.filter((point) => !reached.includes(point))).toEqual(['preventStart.after:1']);
  });

  for (const kind of KINDS) {
    fullOnly(`${kind}, at every point there is`, async () => {
      for (let n = 1; n <= MOST_POINTS; n += AT_ONCE) {
        const points = Array.from({ length: AT_ONCE }, (_, index) => `${kind}:${n + index}`);
        if ((await dieAtAll(points)).length < points.length) break;
      }
    });
  }
});
