import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { scenario } from '../../fixtures/fault-house.ts';
import { inFullRun } from '../../full-only.ts';
import type { TaskJson, WorkHouse } from '../../support/work-house.ts';
import { workHouse } from '../../support/work-house.ts';
import { describeAgents, follow, SETTINGS, scenarioOf, stepsOf } from './played.ts';
import { type Cell, rowsOf } from './table.ts';

const agents = [
  { kind: 'scripted', create: (house: WorkHouse, cell: Cell) => house.create(scenarioOf(cell)) },
  { kind: 'custom', create: (house: WorkHouse, cell: Cell) => made(house, cell, 'custom') },
  { kind: 'acp', create: (house: WorkHouse, cell: Cell) => made(house, cell, 'speaker') },
] as const;

const made = async (house: WorkHouse, cell: Cell, executor: string, where = ['--project', 'shop']): Promise<string> =>
  (
    await house.ok([
      'task',
      'create',
      ...where,
      '--prompt',
      executor === 'scripted' ? scenario(scenarioOf(cell)) : stepsOf(cell),
      '--title',
      'work',
      '--executor',
      executor,
      '--json',
    ])
  ).json<TaskJson>().id;

describe.each(agents)('what an agent says: $kind', ({ kind, create }) => {
  let house: WorkHouse;
  beforeAll(async () => {
    house = await workHouse([], { engine: false, settings: SETTINGS });
    await describeAgents(house);
    await house.up({}, false);
  });
  afterAll(async () => house?.[Symbol.asyncDispose]());

  for (const { channel, meaning, cell } of rowsOf(kind)) {
    const title = `${meaning}, by ${channel}`;
    if (typeof cell === 'string') it.skip(`${title}; there is no such cell: ${cell}`, () => {});
    else it.concurrent(`${title}: ${cell.fate} [WORK-04] [TASK-11]`, async () => follow(house, await create(house, cell), cell));
  }
});

/** Where there is no repository nobody can see that nothing has changed. */
const inDirectory = (cell: Cell): Cell | string =>
  cell.fate === 'blocked: nothing changed' ? 'changes are seen in repositories alone' : cell;

const inPlace = [
  { kind: 'scripted', name: 'scripted' },
  { kind: 'custom', name: 'custom' },
  { kind: 'acp', name: 'speaker' },
] as const;

/** One kind of executor is enough to show that nothing depends on a repository; the others run in the full run. */
describe.skipIf(!inFullRun).each(inPlace.filter(({ kind }) => kind !== 'custom'))(
  'what an agent says in a plain directory: $kind',
  (agent) => saysInDirectory(agent),
);
describe('what an agent says in a plain directory', () => saysInDirectory(inPlace[1]));

function saysInDirectory({ kind, name }: (typeof inPlace)[number]): void {
  let house: WorkHouse;
  beforeAll(async () => {
    house = await workHouse([], { engine: false, settings: SETTINGS });
    await describeAgents(house);
    await house.up({}, false);
  });
  afterAll(async () => house?.[Symbol.asyncDispose]());

  for (const { channel, meaning, cell: anywhere } of rowsOf(kind)) {
    const title = `${meaning}, by ${channel}`;
    const mark = kind === 'custom' ? '' : ' (full run only)';
    const cell = typeof anywhere === 'string' ? anywhere : inDirectory(anywhere);
    if (typeof cell === 'string') it.skip(`${title}; there is no such cell: ${cell}`, () => {});
    else
      it.concurrent(`${title}: ${cell.fate} [WORK-04] [TASK-11]${mark}`, async () => {
        const directory = join(house.directory, `plain ${title}`);
        await mkdir(directory);
        await follow(house, await made(house, cell, name, ['--directory', directory]), cell, directory);
      });
  }
}
