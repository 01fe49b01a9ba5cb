import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { faultHouse, identityOf, isThere } from '../fixtures/fault-house.ts';

const AGENTS = 10;

describe('an engine that is stopped', () => {
  it('goes at once, kills no agent, counts no attempt; the next one takes over and the work ends [R41] [TASK-11]', async () => {
    await using house = await faultHouse(['max_attempts=3']);
    const first = await house.up();
    const script = 'echo one\necho "$FLEET_RUN_ID" >> ledger\nuntil [ -e ../go ]; do sleep 0.1; done\necho two\nexit 0';
    const ids = await house.queue(Array.from({ length: AGENTS }, (_, n) => ({ title: `a${n}`, script })));
    const runs = await vi.waitFor(async () => {
      const all = await house.runs();
      expect(all.filter(({ phase }) => phase.state === 'running')).toHaveLength(AGENTS);
      return all;
    }, 30_000);
    const before = await Promise.all(runs.map(({ id }) => identityOf(house, id)));
    const over = new Promise((resolve) => first.process.once('exit', resolve));
    first.process.kill('SIGTERM');
    expect(await over).toBe(0);
    expect(before.filter(({ agent, shim }) => !(isThere(agent) && isThere(shim)))).toEqual([]);
    await house.up();
    expect(before.filter(({ agent }) => !isThere(agent))).toEqual([]);
    await writeFile(join(house.directory, 'go'), '');
    await house.settled(ids.values());
    const after = await house.runs();
    expect(after.map(({ id }) => id)).toEqual(runs.map(({ id }) => id));
    expect(after.map(({ phase }) => phase.outcome)).toEqual(runs.map(() => 'succeeded'));
    expect((await house.tasks()).map(({ attempts }) => attempts)).toEqual(runs.map(() => 1));
    for (const title of ids.keys())
      expect((await readFile(join(house.directory, `place of ${title}`, 'ledger'), 'utf8')).trim().split('\n')).toHaveLength(1);
    expect(await house.said(ids.get('a3') ?? '')).toBe('one\ntwo\n');
  });

  it('is the only one of its home: a second says who holds it, and touches nothing [R14] [RUN-02]', async () => {
    await using house = await faultHouse();
    const { pid } = await house.up();
    const ids = await house.queue([{ title: 'a', script: 'until [ -e ../go ]; do sleep 0.1; done\nexit 0' }]);
    await vi.waitFor(async () => expect((await house.runs())[0]?.phase.state).toBe('running'), 20_000);
    const second = await house.fleet(['up']);
    expect(second.code).not.toBe(0);
    expect(second.err).toContain(`process ${pid}`);
    await writeFile(join(house.directory, 'go'), '');
    await house.settled(ids.values());
    expect((await house.runs()).map(({ phase }) => phase.outcome)).toEqual(['succeeded']);
  });
});
