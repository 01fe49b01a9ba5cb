import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type Engine, type FaultHouse, faultHouse, isThere } from '../fixtures/fault-house.ts';
import { NO_SMALL_DISK, type SmallDisk, smallDisk } from '../support/small-disk.ts';

interface HealthJson {
  readonly status: string;
  readonly reasons: readonly string[];
  readonly details?: { readonly store?: { readonly ailment: string; readonly since: string; readonly says: string } };
}

async function door(house: FaultHouse) {
  const url = await vi.waitFor(async () => JSON.parse(await readFile(join(house.home, 'up.json'), 'utf8')).url as string, 20_000);
  const token = (await readFile(join(house.home, 'admin.token'), 'utf8')).trim();
  const authorization = `Bearer ${token}`;
  const health = async () => {
    const answer = await fetch(`${url}/health`, { headers: { authorization } });
    return { code: answer.status, ...((await answer.json()) as HealthJson) };
  };
  const create = async (title: string) => {
    const answer = await fetch(`${url}/v1/tasks`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ title, prompt: title, directory: house.work, draft: true }),
    });
    return { code: answer.status, says: await answer.text() };
  };
  return { health, create };
}

type Door = Awaited<ReturnType<typeof door>>;

/** Creates drafts until one is refused, and answers which were accepted. */
async function createUntilFull({ create }: Door, prefix: string): Promise<readonly string[]> {
  for (const accepted: string[] = []; ; ) {
    const title = `${prefix} ${accepted.length}`;
    const { code, says } = await create(title);
    if (code < 300) accepted.push(title);
    else {
      expect({ code, says }).toEqual({ code: 503, says: expect.stringMatching(/no space left/) });
      return accepted;
    }
  }
}

const titlesOf = async (house: FaultHouse) => (await house.tasks()).map(({ title }) => title).toSorted();
const isOk = ({ health }: Door) =>
  vi.waitFor(async () => expect(await health()).toMatchObject({ code: 200, status: 'ok', reasons: [] }), 40_000);
/** How often each part of an engine has failed in a row, at most. */
const failuresIn = (engine: Engine) => [...engine.log().matchAll(/"failures":(\d+)/g)].map(([, count]) => Number(count));

describe('a disk that fills up under a running server', () => {
  it('is told by every door, ends nothing, loses nothing, and is over when there is room again [R17]', async ({ skip }) => {
    using disk = smallDisk('8m') ?? skip(NO_SMALL_DISK);
    await using house = await faultHouse([], join(disk.directory, 'fleet home'));
    const engine = await house.up();
    const at = await door(house);
    const ids = await house.queue([{ title: 'agent', script: 'touch ../begun\nuntil [ -e ../go ]; do sleep 0.2; done\nexit 0' }]);
    await vi.waitFor(() => readFile(join(house.directory, 'begun')), 20_000);
    await at.create('before');
    await isOk(at);
    disk.fill();
    const accepted = ['agent', 'before', ...(await createUntilFull(at, 'on the rest of it'))].toSorted();
    const { code, reasons, details } = await at.health();
    expect({ code, reasons }).toEqual({ code: 503, reasons: ['disk_full'] });
    const since = details?.store?.since ?? 'never';
    expect(details?.store).toMatchObject({ ailment: 'disk_full', says: expect.stringContaining(`is full since ${since}`) });
    expect((await house.ok(['status'])).out).toContain(`is full since ${since}`);
    const doctor = (await house.fleet(['doctor', '--json'])).json<{ ok: boolean; items: { name: string }[] }>();
    expect(doctor.ok).toBe(false);
    expect(doctor.items.find(({ name }) => name === 'disk')).toMatchObject({
      state: 'broken',
      detail: expect.stringContaining('the disk is full'),
    });
    const told = await house.fleet(['task', 'create', '--draft', '--directory', house.work, '--prompt', 'refused']);
    expect({ code: told.code, says: told.err }).toEqual({ code: 7, says: expect.stringContaining('no space left') });
    // An agent ends while nothing of it can be noted, and the lease cannot be renewed either.
    await writeFile(join(house.directory, 'go'), '');
    await vi.waitFor(() => expect(engine.log()).toMatch(/"controller":"lease","failures":2/), 60_000);
    expect((await at.health()).details?.store?.since).toBe(since);
    expect(await titlesOf(house)).toEqual(accepted);
    expect(isThere(engine.pid)).toBe(true);
    expect(Math.max(...failuresIn(engine)), 'an engine that cannot write rests between its tries').toBeLessThan(1_000);
    disk.free();
    await isOk(at);
    await house.settled(ids.values());
    expect(await house.outcomes(ids.get('agent') ?? '')).toEqual(['succeeded']);
    expect((await at.create('after')).code).toBeLessThan(300);
    expect(await titlesOf(house)).toEqual([...accepted, 'after'].toSorted());
    expect((await house.ok(['status'])).out).not.toContain('full');
    expect(isThere(engine.pid)).toBe(true);
    await house.ok(['db', 'check']);
  });
});

describe('a start on a disk that is full, or nearly', () => {
  it('ends with 7 and says so, or goes on and waits for room: never a bug, and never called damage [R17]', async ({ skip }) => {
    using disk = smallDisk('8m') ?? skip(NO_SMALL_DISK);
    await using house = await faultHouse([], join(disk.directory, 'fleet home'));
    await house.ok(['task', 'create', '--draft', '--directory', house.work, '--title', 'before', '--prompt', 'before']);
    for (const roomKb of [0, 8]) {
      disk.fill(roomKb);
      for (const args of [['up'], ['run'], ['db', 'check'], ['up', '--background']]) {
        const { code, out, err } = await house.fleet(args);
        expect({ roomKb, args, code, says: out + err }).toEqual({
          roomKb,
          args,
          code: 7,
          says: expect.not.stringMatching(/damaged|fault in Fleet/),
        });
        if (!args.includes('--background'))
          expect({ roomKb, args, says: err }).toMatchObject({ says: expect.stringMatching(/disk is full|no space/) });
      }
      disk.free();
      await house.ok(['db', 'check']);
    }
    const accepted = ['before'];
    // With more and more room: until it is enough to start, and for a few tasks.
    for (let roomKb = 48; accepted.length < 2; roomKb += 48) {
      expect(roomKb).toBeLessThan(1_024);
      disk.fill(roomKb);
      const started = await house.up().catch((error: Error) => error.message);
      if (typeof started === 'string') expect(started).toMatch(/ended with 7: .*(disk is full|no space)/s);
      else accepted.push(...(await usedUp(house, started, disk)));
      disk.free();
    }
    expect(await titlesOf(house)).toEqual(accepted.toSorted());
    await house.ok(['db', 'check']);
  });
});

/** Uses up what room there is, makes some, sees it go on, and answers which tasks were accepted. */
async function usedUp(house: FaultHouse, engine: Engine, disk: SmallDisk): Promise<readonly string[]> {
  const log = await vi.waitFor(() => {
    expect(engine.log()).toMatch(/http\.(listening|waits_for_room)/);
    return engine.log();
  }, 20_000);
  const accepted: string[] = [];
  if (!log.includes('http.waits_for_room')) {
    const full = await door(house);
    accepted.push(...(await createUntilFull(full, `in little room of ${engine.pid}`)));
    expect(await full.health()).toMatchObject({ code: 503, reasons: ['disk_full'] });
  }
  disk.free();
  await isOk(await door(house));
  const over = new Promise((resolve) => engine.process.once('exit', resolve));
  engine.process.kill('SIGTERM');
  expect(await over).toBe(0);
  return accepted;
}
