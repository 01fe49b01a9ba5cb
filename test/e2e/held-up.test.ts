import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { type FaultHouse, faultHouse } from '../fixtures/fault-house.ts';
import { fullOnly } from '../full-only.ts';

interface HeldUp {
  readonly why: string;
  readonly tasks: number;
  readonly first: string;
}
const heldUp = async (house: FaultHouse) =>
  (await house.ok(['status', '--json'])).json<{ heldUp: HeldUp[] }>().heldUp.toSorted((a, b) => (a.why < b.why ? -1 : 1));

describe('fleet status', () => {
  fullOnly('says why queued work is not started here, by the rules that dispatch goes by', async () => {
    await using house = await faultHouse(['max_concurrent=3', 'limit_executor.slow=1']);
    await writeFile(join(house.home, 'executors', 'slow.toml'), 'command = ["/bin/sh", "{prompt_file}"]\noutput = "text"\n');
    const wait = 'until [ -e ../go ]; do sleep 0.1; done\nexit 0';
    const place = async (name: string) => {
      await mkdir(join(house.directory, name), { recursive: true });
      return join(house.directory, name);
    };
    const create = async (name: string, ...flags: string[]) =>
      (await house.ok(['task', 'create', '--directory', await place(name), '--prompt', wait, '--json', ...flags])).json<{
        id: string;
      }>().id;
    const running = async (count: number) =>
      vi.waitFor(
        async () => expect((await house.runs()).filter(({ phase }) => phase.state === 'running')).toHaveLength(count),
        30_000,
      );
    // Without an engine only what can never be started here is known to be held up.
    const foreign = await create('a', '--executor', 'gemini');
    await create('b', '--executor', 'gemini');
    const missing = {
      tasks: 2,
      first: foreign,
      why: expect.stringContaining('no executor gemini can be started on this machine'),
    };
    const never = [expect.objectContaining(missing)];
    expect(await heldUp(house)).toEqual(never);
    await house.up();
    const ids = [await create('same'), await create('slow1', '--executor', 'slow')];
    await running(2);
    const [again, slow] = [await create('same'), await create('slow2', '--executor', 'slow')];
    expect(await heldUp(house)).toEqual([
      { tasks: 1, atLeast: false, first: slow, why: '1 of 1 run is at work for slow: limit_executor' },
      ...never,
      { tasks: 1, atLeast: false, first: again, why: `one run at a time works in ${join(house.directory, 'same')}` },
    ]);
    ids.push(again, slow, await create('third'));
    await running(3);
    const late = await create('fourth');
    ids.push(late);
    const full = await heldUp(house);
    expect(full).toEqual([expect.objectContaining({ tasks: 3, why: '3 of 3 runs are at work: max_concurrent' }), ...never]);
    const page = (await house.ok(['status'])).out;
    expect(page).toMatch(/Not started[^]*‖ 2 tasks, first \w+: no executor gemini/);
    expect(page).toContain('3 of 3 runs are at work: max_concurrent');
    await writeFile(join(house.directory, 'go'), '');
    await house.settled(ids, 60_000);
    expect(await heldUp(house)).toEqual(never);
  });
});
