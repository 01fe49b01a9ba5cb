import { chmod, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainJob } from '../executors/kit/jobs.ts';
import { type AddedExecutor, addedExecutors } from './custom-executors.ts';
import { homePaths, initHome } from './home.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fleet-added-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let moment = 1_000;

async function place() {
  const paths = homePaths({ FLEET_HOME: await mkdtemp(join(folder, 'home-')) }, '/');
  await initHome(paths);
  const added = addedExecutors(paths);
  const file = (name: string) => join(paths.executors, name);
  return {
    file,
    /** Each writing is a later one, also for clocks that are coarse. */
    write: async (name: string, text: string) => {
      await writeFile(file(name), text, { mode: 0o600 });
      moment += 10;
      await utimes(file(name), moment, moment);
    },
    look: () => added.look(),
    one: async (name: string, until: (one: AddedExecutor) => boolean = () => true): Promise<AddedExecutor | undefined> => {
      for (;;) {
        const found = (await added.look()).find((other) => other.name === name);
        if (!found || until(found)) return found;
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

const CAN =
  'can: { resume: false, fork: false, steer: false, ask: false, usage: false, context: false, mcp: false, tools: false }';
const module = (more = '', name = 'mine') => `
export default {
  name: '${name}',
  ${CAN},
  launch: () => ({ command: 'one', args: [], env: {}, files: [], mode: 'oneway' }),
  begin: () => ({ state: 0, events: [], send: [] }),
  step: (state) => ({ state: state + 1, events: [], send: [] }),
  say: () => undefined,
  answer: () => undefined,
  exit: () => [],
  ${more}
};
`;

describe('an executor that is a module', () => {
  it('is found by its file, and asked like any other [EXEC-04]', async () => {
    const { write, one } = await place();
    await write('mine.mjs', module());
    const found = await one('mine');
    expect(found).toMatchObject({ kind: 'module', executor: { name: 'mine', can: { steer: false } } });
    expect(found?.executor?.launch(plainJob).command).toBe('one');
    expect(found?.executor?.step(4, 'x')).toEqual({ state: 5, events: [], send: [] });
    expect(found?.executor?.say(4, { n: 1, text: 'x' })).toBeUndefined();
  });

  it('is used as it was when it becomes unusable, and as it is when it is well again', async () => {
    const { write, one, file } = await place();
    await write('mine.mjs', module());
    await one('mine');
    await write('mine.mjs', 'export default {');
    const torn = await one('mine', ({ problem }) => problem !== undefined);
    expect(torn?.problem).toContain('executors/mine.mjs: SyntaxError');
    expect(torn?.executor?.launch(plainJob).command).toBe('one');
    await write('mine.mjs', module("launch: () => ({ command: 'two', args: [], env: {}, files: [], mode: 'oneway' }),"));
    const mended = await one('mine', ({ executor }) => executor?.launch(plainJob).command === 'two');
    expect(mended?.problem).toBeUndefined();
    await rm(file('mine.mjs'));
    expect(await one('mine')).toBeUndefined();
  });

  it('says by a failed step what went wrong, and gives up on one that keeps everybody waiting', async () => {
    const { write, one } = await place();
    const step =
      "step: (state, line) => { if (line === 'hang') for (;;); if (line === 'throw') throw new Error('no'); return { state, events: [{ type: line }], send: [] }; },";
    await write('mine.mjs', module(step));
    const executor = (await one('mine'))?.executor;
    expect(executor?.step(1, 'throw')).toEqual({
      state: 1,
      events: [],
      send: [],
      failed: expect.stringContaining('executor mine failed in step: Error: no'),
    });
    expect(executor?.step(1, 'cheered').failed).toContain("no event of Fleet's");
    for (let times = 0; times < 3; times += 1) expect(executor?.step(1, 'hang').failed).toContain('no answer within 1 s');
    expect(await one('mine')).toMatchObject({ problem: expect.stringContaining('no answer 3 times') });
    expect((await one('mine'))?.executor).toBeUndefined();
  });

  it.each([
    ['others may write it', module(), 0o666, 'chmod go-w'],
    ['it is called something else', module('', 'theirs'), 0o600, 'name is "theirs", expected "mine"'],
    ['a function is missing', module('exit: undefined,'), 0o600, 'no function exit'],
    ['its table is not whole', module('can: { resume: true },'), 0o600, 'neither true nor false about fork'],
    [
      'it never comes to an end of loading',
      'await new Promise(() => setInterval(() => {}, 1000));',
      0o600,
      'not loaded within 5 s',
    ],
  ])('is not used when %s', async (_, text, mode, why) => {
    const { write, one, file } = await place();
    await write('mine.mjs', text);
    await chmod(file('mine.mjs'), mode);
    expect(await one('mine')).toEqual({
      name: 'mine',
      kind: 'module',
      file: file('mine.mjs'),
      problem: expect.stringContaining(why),
    });
  });
});

it('an executor that would hide another says so', async () => {
  const { write, look } = await place();
  await write('claude.toml', 'command = ["x"]\n');
  await write('two.toml', 'command = ["x"]\n');
  await write('two.mjs', module('', 'two'));
  const problems = Object.fromEntries((await look()).map(({ name, kind, problem }) => [`${name} ${kind}`, problem]));
  expect(problems).toEqual({
    'claude file': 'executors/claude.toml: claude comes with Fleet: give the file another name',
    'two file': undefined,
    'two module': 'executors/two.mjs: there is executors/two.toml as well: remove one of them',
  });
});
