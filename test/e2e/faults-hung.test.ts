import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { faultHouse, isThere, scenario } from '../fixtures/fault-house.ts';
import { fullOnly, inFullRun } from '../full-only.ts';

describe('agents that hang', () => {
  it('are stalled only without any sign of life, tried again, and failed with the reason [R27]', async () => {
    await using house = await faultHouse(['stall_seconds=2', 'max_attempts=2']);
    await house.up();
    const ids = await house.queue([
      { title: 'silent', script: 'echo "$$" > pid\nexec sleep 600' },
      // Its input is empty: a read ends at once, and it goes on to say so.
      { title: 'reads', script: 'read -r answer\necho "read nothing"\nexit 0' },
      { title: 'ignores', script: 'trap "" TERM\necho "$$" > pid\nwhile :; do sleep 600; done' },
      { title: 'once', script: '[ "$FLEET_ATTEMPT" = 2 ] && exit 0\nexec sleep 600' },
      // Says nothing and thinks for three times as long as silence is allowed.
      { title: 'busy', script: 'end=$(( $(date +%s) + 7 ))\nwhile [ "$(date +%s)" -lt "$end" ]; do :; done\nexit 0' },
    ]);
    const waits = await house.create(scenario('twoway\nask Which colour? | red | blue\ndone painted'), '--executor', 'scripted');
    await house.settled(ids.values(), 60_000);
    const runs = await house.runs();
    const ends = (title: string) => runs.filter(({ taskId }) => taskId === ids.get(title)).map(({ phase }) => phase.outcome);
    expect(Object.fromEntries([...ids.keys()].map((title) => [title, ends(title)]))).toEqual({
      silent: ['stalled', 'stalled'],
      reads: ['succeeded'],
      ignores: ['stalled', 'stalled'],
      once: ['stalled', 'succeeded'],
      busy: ['succeeded'],
    });
    expect(runs.find(({ taskId }) => taskId === ids.get('silent'))?.phase.detail).toContain('no sign of life');
    const tasks = await house.tasks();
    expect(tasks.find(({ title }) => title === 'silent')?.phase).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('stalled after 2 of 2'),
    });
    for (const title of ['silent', 'ignores']) {
      const pid = Number(await readFile(join(house.directory, `place of ${title}`, 'pid'), 'utf8'));
      expect({ title, left: isThere(pid) }).toEqual({ title, left: false });
    }
    // It has waited for a person all that time, and still does.
    expect(await house.outcomes(waits)).toEqual(['running']);
    const { items } = (await house.ok(['question', 'list', '--json'])).json<{ items: { id: string }[] }>();
    await house.ok(['question', 'answer', items[0]?.id ?? '', '2']);
    await house.settled([waits]);
    expect(await house.outcomes(waits)).toEqual(['succeeded']);
    expect(house.marked()).toEqual([]);
  });

  it('and helpers that will not go hold up nobody else [R23]', async () => {
    await using house = await faultHouse(['grace_seconds=5']);
    await house.up();
    const stubborn = 'setsid sh -c "trap \\"\\" TERM; while :; do sleep 600; done" &\nsleep 0.5\nexit 0';
    const held = await house.queue(Array.from({ length: 4 }, (_, n) => ({ title: `stubborn${n}`, script: stubborn })));
    await vi.waitFor(() => expect(house.marked().length).toBeGreaterThanOrEqual(4), 20_000);
    const quick = await house.queue(Array.from({ length: 4 }, (_, n) => ({ title: `quick${n}`, script: 'sleep 1\nexit 0' })));
    await house.settled(quick.values(), 30_000);
    // Five seconds of grace each: had anybody waited for them, they would be over by now.
    const heldIds = new Set(held.values());
    const stillHeld = (await house.tasks()).filter(({ id, phase }) => heldIds.has(id) && phase.state === 'running');
    expect(stillHeld.length).toBeGreaterThan(0);
    await house.settled(held.values(), 30_000);
    expect(house.marked()).toEqual([]);
  });
});

describe('the wall clock', () => {
  fullOnly('may jump by an hour: no run is over its time, none is stalled [R38]', async () => {
    await using house = await faultHouse(['stall_seconds=30']);
    const offset = join(house.directory, 'offset');
    const clock = join(house.directory, 'clock.cjs');
    await writeFile(offset, '0');
    // Only the wall moves, as when somebody sets it: Date, and not the monotonic clock.
    await writeFile(
      clock,
      `const { readFileSync } = require('node:fs'); const real = Date.now; Date.now = () => real() + Number(readFileSync(${JSON.stringify(offset)}, 'utf8') || 0);`,
    );
    const env: Record<string, string> = house.env;
    env['NODE_OPTIONS'] = `--require "${clock}"`;
    const engine = await house.up();
    const go = join(house.directory, 'go');
    const until = (file: string) => `echo here\nuntil [ -e '${file}' ]; do sleep 0.1; done\nexit 0`;
    const place = (name: string) => join(house.directory, name);
    await Promise.all(['one', 'two'].map((name) => mkdir(place(name))));
    const create = async (name: string) =>
      (
        await house.ok([
          'task',
          'create',
          '--directory',
          place(name),
          '--prompt',
          until(go),
          '--timeout-seconds',
          '120',
          '--json',
        ])
      ).json<{ id: string }>().id;
    const ids = [await create('one'), await create('two')];
    await vi.waitFor(
      async () => expect((await house.runs()).map(({ phase }) => phase.state)).toEqual(['running', 'running']),
      20_000,
    );
    await writeFile(offset, '3600000');
    await passed(inFullRun ? 6_500 : 1_000);
    expect((await house.runs()).map(({ phase }) => phase.state)).toEqual(['running', 'running']);
    // An engine that comes after the jump must not take it for time that passed.
    engine.process.kill('SIGKILL');
    await writeFile(offset, '7200000');
    await house.up();
    await passed(1_000);
    await writeFile(offset, '0');
    await passed(1_000);
    await writeFile(go, '');
    await house.settled(ids);
    expect((await house.runs()).map(({ phase }) => phase.outcome)).toEqual(['succeeded', 'succeeded']);
  });
});

describe('many that fail at once', () => {
  const MANY = 30;
  fullOnly('are tried again at moments of their own, and never more often than allowed [R34]', async () => {
    await using house = await faultHouse(['max_attempts=2']);
    await house.up();
    const ids = await house.queue(
      Array.from({ length: MANY }, (_, n) => ({ title: `f${n}`, script: 'until [ -e ../go ]; do sleep 0.1; done\nexit 9' })),
    );
    await vi.waitFor(
      async () => expect((await house.runs()).filter(({ phase }) => phase.state === 'running')).toHaveLength(MANY),
      { timeout: 30_000, interval: 200 },
    );
    await writeFile(join(house.directory, 'go'), '');
    await house.settled(ids.values(), 60_000);
    const runs = await house.runs();
    expect(runs).toHaveLength(2 * MANY);
    const pauses = [...ids.values()].map((id) => {
      const [first, second] = runs.filter(({ taskId }) => taskId === id);
      return Date.parse(second?.createdAt ?? '') - Date.parse(first?.phase.at ?? '');
    });
    // The first pause is 2 to 4 s. Claiming takes a moment for each.
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1_990);
    expect(Math.max(...pauses) - Math.min(...pauses)).toBeGreaterThan(1_000);
    expect(new Set((await house.tasks()).map(({ phase, attempts }) => `${phase.state} ${attempts}`))).toEqual(
      new Set(['failed 2']),
    );
  });
});
