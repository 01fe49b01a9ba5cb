import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type FaultHouse, faultHouse, processesWith } from '../fixtures/fault-house.ts';

interface Shown {
  readonly id: string;
  readonly phase: { readonly state: string; readonly block?: { readonly cause: string; readonly what: string } };
}

interface Place {
  readonly id: string;
  readonly state: string;
  readonly why?: string;
  readonly path: string;
  readonly aside?: { readonly path?: string; readonly runId?: string };
  readonly use: { readonly taskId?: string };
}

/** Room for three, and a repository to work in. */
async function shop(keepSeconds: number): Promise<FaultHouse> {
  const house = await faultHouse(['max_concurrent=3', `keep_seconds=${keepSeconds}`]);
  const repo = await house.repository('shop');
  await house.ok(['project', 'add', repo, '--name', 'shop', '--integration', 'none']);
  return house;
}

const inShop = async (house: FaultHouse, isolation: string, script: string): Promise<string> => {
  const words = ['task', 'create', '--project', 'shop', '--isolation', isolation, '--prompt', `${script}\nexit 0`, '--json'];
  return (await house.ok(words)).json<Shown>().id;
};

const places = async (house: FaultHouse) => (await house.ok(['workspace', 'list', '--json'])).json<{ items: Place[] }>().items;
const shown = async (house: FaultHouse, id: string) => (await house.ok(['task', 'show', id, '--json'])).json<Shown>();

const IGNORE = 'echo mine > mine.txt; rm -f .gitignore; mkfifo .gitignore';
const HEAD = 'echo mine > mine.txt; d=$(git rev-parse --absolute-git-dir); rm -f "$d/HEAD"; mkfifo "$d/HEAD"';
const MISSING = `echo mine > mine.txt; d=$(git rev-parse --absolute-git-dir); b=$(git symbolic-ref HEAD); mkdir -p "$d/$(dirname "$b")"; echo ${'de'.repeat(20)} > "$d/$b"`;

/** Where the files of a task are that could not be kept, looked at as a person would. */
async function asideOf(house: FaultHouse, id: string): Promise<Place & { readonly files: string }> {
  const place = (await places(house)).find(({ use, state }) => use.taskId === id && state === 'aside');
  const files = place?.aside?.path;
  if (!place || files === undefined) throw new Error(`nothing of ${id} was put aside: ${JSON.stringify(await places(house))}`);
  expect(await readFile(join(files, 'tree', 'mine.txt'), 'utf8')).toBe('mine\n');
  const reason = JSON.parse(await readFile(join(files, 'reason.json'), 'utf8')) as Record<string, unknown>;
  expect(reason).toMatchObject({ taskId: id, workspaceId: place.id, runId: place.aside?.runId, why: place.why });
  return { ...place, files };
}

describe('an agent that wants to occupy a place for good', () => {
  it('is over when its work cannot be kept: three of them, and a fourth works without a restart [RUN-13] [T13]', async () => {
    await using house = await shop(15);
    const engine = await house.up();
    const wishes = [
      ['worktree', IGNORE],
      ['worktree', HEAD],
      ['clone', IGNORE],
    ] as const;
    const bad = await Promise.all(wishes.map(([isolation, script]) => inShop(house, isolation, script)));
    const good = await inShop(house, 'worktree', 'echo fine > fine.txt');
    await house.settled([...bad, good], 300_000);
    expect((await house.task(good)).phase.state).toBe('done');
    for (const id of bad) {
      const { files, id: place } = await asideOf(house, id);
      const { phase } = await shown(house, id);
      expect(phase).toMatchObject({ state: 'blocked', block: { cause: 'aside' } });
      expect(phase.block?.what).toContain(files);
      const [run] = await house.runs(id);
      expect(run).toMatchObject({ phase: { state: 'ended', outcome: 'succeeded' }, unkept: expect.stringContaining(files) });
      expect((await house.ok(['workspace', 'list'])).out).toContain(`fleet workspace delete ${place}`);
    }
    // Each is said of the task it is about, and not again and again.
    const failed = engine
      .log()
      .split('\n')
      .filter((line) => line.includes('action.failed'));
    expect(failed.length).toBeLessThanOrEqual(6);
    for (const id of bad) expect(failed.filter((line) => line.includes(id)).length).toBeGreaterThan(0);
    expect(failed.filter((line) => line.includes(good))).toEqual([]);
  });

  it('gives its place back when it is canceled while its work is being kept, and can be deleted [RUN-13]', async () => {
    // Nothing would be given up by itself.
    await using house = await shop(3_600);
    await house.up();
    const wishes = [
      ['worktree', IGNORE],
      ['clone', HEAD],
      ['clone', IGNORE],
    ] as const;
    const bad = await Promise.all(wishes.map(([isolation, script]) => inShop(house, isolation, script)));
    const good = await inShop(house, 'clone', 'echo fine > fine.txt');
    await vi.waitFor(
      async () => {
        const ran = (await house.runs()).filter(({ taskId }) => bad.includes(taskId));
        const exits = await Promise.all(ran.map(({ id }) => readdir(join(house.home, 'runs', id))));
        expect(exits.filter((names) => names.includes('exit'))).toHaveLength(3);
      },
      { timeout: 120_000, interval: 200 },
    );
    expect((await house.task(good)).phase.state).toBe('queued');
    for (const id of bad) await house.ok(['task', 'cancel', id]);
    await house.settled([...bad, good], 300_000);
    expect((await house.task(good)).phase.state).toBe('done');
    for (const id of bad) {
      const { files, id: place, path } = await asideOf(house, id);
      expect((await house.task(id)).phase.state).toBe('canceled');
      expect(processesWith(`GIT_WORK_TREE=${path}`)).toEqual([]);
      expect((await house.fleet(['task', 'restore', id])).err).toContain(files);
      await house.ok(['task', 'delete', id]);
      await house.ok(['workspace', 'delete', place]);
      await vi.waitFor(async () => expect((await places(house)).map((one) => one.id)).not.toContain(place), {
        timeout: 120_000,
        interval: 200,
      });
      await expect(readdir(files)).rejects.toThrow('ENOENT');
    }
  });

  it('is not used again, and its task gets another place when it is retried', async () => {
    await using house = await shop(15);
    await house.up();
    const flag = join(house.directory, 'once');
    const id = await inShop(
      house,
      'worktree',
      `test -e '${flag}' && echo again > again.txt && exit 0\ntouch '${flag}'\n${IGNORE}`,
    );
    await house.settled([id], 300_000);
    const aside = await asideOf(house, id);
    await house.ok(['task', 'retry', id]);
    await house.settled([id], 300_000);
    const others = (await places(house)).filter((place) => place.id !== aside.id);
    expect(others.filter(({ path }) => path === aside.path)).toEqual([]);
    expect((await places(house)).find((place) => place.id === aside.id)).toMatchObject({ state: 'aside' });
    expect(await house.outcomes(id)).toEqual(['succeeded', 'succeeded']);
    expect((await house.task(id)).phase.state).toBe('done');
    // What was put aside goes by nobody's tidying up, but only when somebody says so.
    await house.ok(['workspace', 'prune']);
    expect(await asideOf(house, id)).toMatchObject({ id: aside.id });
    expect((await house.fleet(['workspace', 'delete', others[0]?.id ?? 'ws_99'])).err).toMatch(/was not put aside|no workspace/);
  });

  it('is over also when its branch leads to an object that is not there', async () => {
    await using house = await shop(60);
    await house.up();
    const bad = await Promise.all([1, 2, 3].map(() => inShop(house, 'clone', MISSING)));
    const good = await inShop(house, 'clone', 'echo fine > fine.txt');
    await house.settled([...bad, good], 300_000);
    expect((await house.task(good)).phase.state).toBe('done');
    for (const id of bad) expect((await house.runs(id)).map(({ phase }) => phase.state)).toEqual(['ended']);
  });
});
