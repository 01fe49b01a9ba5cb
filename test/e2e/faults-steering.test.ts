import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { faultHouse, scenario, ticksOf } from '../fixtures/fault-house.ts';
import { fullOnly } from '../full-only.ts';

describe('a message to the agent of a task', () => {
  it('reaches a two-way agent while it works, and is heard when the agent says so [RUN-10]', async () => {
    await using house = await faultHouse();
    await house.up();
    const id = await house.create(scenario('twoway\nsay ready\nlisten 2\ndone heard you'), '--executor', 'scripted');
    await vi.waitFor(async () => expect(await house.said(id)).toContain('ready'), 20_000);
    await house.ok(['task', 'send', id, 'leave the parser alone']);
    await vi.waitFor(async () => expect((await house.task(id)).messages[0]?.state).toBe('heard'), 20_000);
    await house.ok(['task', 'send', id, 'and "quote" this \\ \n line']);
    await house.settled([id]);
    expect((await house.task(id)).messages.map(({ state }) => state)).toEqual(['heard', 'heard']);
    const said = await house.said(id);
    expect(said.match(/message 1: you: leave the parser alone/g)).toHaveLength(1);
    expect(said.match(/message 2: /g)).toHaveLength(1);
    expect(await house.outcomes(id)).toEqual(['succeeded']);
  });

  fullOnly('waits for the next attempt of an agent that cannot listen, and costs nothing meanwhile [RUN-10]', async () => {
    await using house = await faultHouse(['max_attempts=2']);
    const { pid } = await house.up();
    const id = await house.create('echo ready\nuntil [ -e go ]; do sleep 0.1; done\n[ "$FLEET_ATTEMPT" = 1 ] && exit 3\nexit 0');
    await vi.waitFor(async () => expect(await house.said(id)).toContain('ready'), 20_000);
    await house.ok(['task', 'send', id, 'mind the gap']);
    expect((await house.task(id)).messages.map(({ state }) => state)).toEqual(['waiting']);
    const before = ticksOf(pid);
    await passed(1_500);
    // A core would be 150: a message nobody can take must not keep the engine busy.
    expect(ticksOf(pid) - before).toBeLessThan(45);
    expect((await house.task(id)).messages.map(({ state }) => state)).toEqual(['waiting']);
    await writeFile(join(house.work, 'go'), '');
    await house.settled([id]);
    const [first, second] = await house.runs(id);
    const prompt = (run: string | undefined) => readFile(join(house.home, 'runs', run ?? '', 'prompt.txt'), 'utf8');
    expect(await prompt(first?.id)).not.toContain('mind the gap');
    expect(await prompt(second?.id)).toContain('mind the gap');
    // It was put before the agent: the sender sees that it no longer waits.
    expect((await house.task(id)).messages.map(({ state }) => state)).not.toEqual(['waiting']);
  });

  it('that waited when a two-way agent began is in what that agent is told first [RUN-10]', async () => {
    await using house = await faultHouse();
    const ear = 'command = ["/bin/sh", "-c", "read -r told; echo \\"$told\\"; exit 3"]\noutput = "text"\nmode = "twoway"\n';
    await writeFile(join(house.home, 'executors', 'ear.toml'), ear);
    await house.up();
    const id = await house.create('listen', '--executor', 'ear');
    await house.settled([id]);
    await house.ok(['task', 'resume', id, 'mind the gap']);
    await vi.waitFor(async () => expect(await house.outcomes(id)).toEqual(['crashed', 'crashed']), 20_000);
    expect(await house.said(id)).toContain('mind the gap');
  });
});
