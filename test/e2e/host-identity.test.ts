import { spawnSync } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type FaultHouse, faultHouse, gone, isThere } from '../fixtures/fault-house.ts';

/** Starts a program on a machine that is called so, without touching the name of the real one. */
const named = (name: string): string[] => ['unshare', '--uts', 'sh', '-c', `hostname ${name} && exec "$@"`, 'sh'];
const canRename = spawnSync('unshare', ['--uts', 'sh', '-c', 'hostname fleet-probe']).status === 0;

const TITLES = ['a', 'b', 'c'];
const SCRIPT = 'echo once >> begun\nuntil [ -e ../go ]; do sleep 0.2; done\nexit 0';

async function withAgents(house: FaultHouse, before: readonly string[] = []) {
  const engine = await house.up(before);
  const ids = await house.queue(TITLES.map((title) => ({ title, script: SCRIPT })));
  for (const title of TITLES) await vi.waitFor(() => readFile(join(house.directory, `place of ${title}`, 'begun')));
  const agents = await vi.waitFor(async () => {
    const pids = (await house.runs()).flatMap(({ phase }) => phase.agent?.pid ?? []);
    expect(pids).toHaveLength(TITLES.length);
    return pids;
  });
  return { engine, ids, agents };
}

describe('the id of a host', () => {
  it.skipIf(!canRename)(
    'a machine that is renamed while agents run adopts each of them once [RUN-01] [RUN-02] [R1]',
    async () => {
      await using house = await faultHouse();
      const { engine, ids, agents } = await withAgents(house, named('before'));
      await gone(engine.process);
      await house.up(named('after'));
      expect(agents.filter((pid) => !isThere(pid))).toEqual([]);
      await writeFile(join(house.directory, 'go'), '');
      await house.settled(ids.values());
      for (const id of ids.values()) expect(await house.outcomes(id)).toEqual(['succeeded']);
      for (const title of TITLES)
        expect(await readFile(join(house.directory, `place of ${title}`, 'begun'), 'utf8')).toBe('once\n');
      const engines = (await house.ok(['status', '--json'])).json<{ engine: { host: string; running: boolean } }>().engine;
      expect(engines).toMatchObject({ running: true, host: 'after' });
      await vi.waitFor(() => expect(house.marked()).toEqual([]));
    },
  );

  it.skipIf(!canRename)('two engines of one home never both act, whatever the machine is called [RUN-02]', async () => {
    await using house = await faultHouse();
    await house.up(named('one'));
    const child = house.start(['up', '--json']);
    let said = '';
    child.stderr?.on('data', (text) => {
      said += String(text);
    });
    const code = await new Promise((resolve) => child.once('exit', resolve));
    expect({ code, said }).toEqual({ code: expect.any(Number), said: expect.stringContaining('another engine runs this home') });
    expect(code).not.toBe(0);
  });

  it('a copy of a home gets an id of its own, and leaves the agents of the original alone [RUN-01] [RUN-13]', async () => {
    await using house = await faultHouse();
    const { ids, agents } = await withAgents(house);
    const copy = join(house.directory, 'copied home');
    await mkdir(copy);
    await house.ok(['db', 'backup', join(house.directory, 'now.db')]);
    // The files of a database that is written to are no copy of it: its backup is.
    await cp(house.home, copy, { recursive: true, filter: (path) => !/(fleet\.db|\.sock|-wal|-shm)$/.test(path) });
    await cp(join(house.directory, 'now.db'), join(copy, 'fleet.db'));
    const env = { ...house.env, FLEET_HOME: copy };
    const other = house.start(['up'], { FLEET_HOME: copy });
    let log = '';
    other.stderr?.on('data', (text) => {
      log += String(text);
    });
    await vi.waitFor(() => expect(log).toContain('engine.started'));
    expect(log).toContain('host.adopted');
    const listed = async () =>
      (await house.ok(['run', 'list', '--json'], { env })).json<{ items: { phase: { state: string; outcome?: string } }[] }>()
        .items;
    await vi.waitFor(async () => {
      const states = (await listed()).map(({ phase }) => phase.outcome ?? phase.state);
      expect(states.filter((state) => state === 'lost')).toHaveLength(TITLES.length);
    });
    expect(agents.filter((pid) => !isThere(pid))).toEqual([]);
    await writeFile(join(house.directory, 'go'), '');
    await house.settled(ids.values());
    for (const id of ids.values()) expect(await house.outcomes(id)).toEqual(['succeeded']);
    await house.ok(['up', '--stop'], { env });
    await gone(other);
    await rm(copy, { recursive: true });
  });
});
