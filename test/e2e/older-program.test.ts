import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { faultHouse } from '../fixtures/fault-house.ts';

it('a home of a newer program is refused and not touched, and its agents run on [STORE-04] [R41]', async () => {
  await using house = await faultHouse();
  const engine = await house.up();
  const format = join(house.home, 'format.json');
  const ours = await readFile(format, 'utf8');
  const titles = ['a', 'b', 'c'];
  const script = 'touch begun\nuntil [ -e ../go ]; do sleep 0.2; done\nexit 0';
  const ids = await house.queue(titles.map((title) => ({ title, script })));
  for (const title of titles) await vi.waitFor(() => readFile(join(house.directory, `place of ${title}`, 'begun')), 20_000);
  const agents = await vi.waitFor(async () => {
    const pids = (await house.runs()).flatMap(({ phase }) => phase.agent?.pid ?? []);
    expect(pids).toHaveLength(titles.length);
    return pids;
  }, 20_000);
  engine.process.kill('SIGKILL');
  await vi.waitFor(() => expect(engine.process.signalCode).toBe('SIGKILL'), 10_000);
  for (const newer of ['{"format":99}\n', '{"layout":"other"}\n']) {
    await writeFile(format, newer);
    const files = await readdir(house.home);
    for (const args of [['up'], ['run'], ['up', '--background'], ['task', 'list'], ['db', 'check']]) {
      const { code, err } = await house.fleet(args);
      expect({ args, code, err }).toEqual({ args, code: 7, err: expect.stringContaining('written by another Fleet') });
    }
    expect(await readdir(house.home)).toEqual(files);
    expect(agents.filter((pid) => !house.marked().includes(pid))).toEqual([]);
  }
  // One of before is read, and says from now on what it has become.
  await writeFile(format, '{"format":1}\n');
  await house.up();
  expect(await readFile(format, 'utf8')).toBe(ours);
  await writeFile(join(house.directory, 'go'), '');
  await house.settled(ids.values());
  for (const id of ids.values()) expect(await house.outcomes(id)).toEqual(['succeeded']);
});
