import { describe, expect, it, vi } from 'vitest';
import { fullOnly } from '../full-only.ts';
import { bundled } from '../support/bundle.ts';
import { cliHouse } from '../support/cli-house.ts';

interface TaskJson {
  readonly id: string;
  readonly phase: { readonly state: string; readonly holder?: { readonly agent: string } };
}

describe('the queue, from the command line', () => {
  it('takes work in, shows it, changes it and lets people do it', async () => {
    await using house = await cliHouse();
    const repo = await house.repository();
    await house.ok(['init']);
    await house.ok(['project', 'add', repo, '--name', 'shop', '--setup', 'true', '--integration', 'none']);
    const first = (
      await house.ok(['task', 'create', '--project', 'shop', '--prompt', 'write the parser', '--json'])
    ).json<TaskJson>();
    const second = (
      await house.ok([
        'task',
        'create',
        '--project',
        'shop',
        '--prompt',
        'review it',
        '--title',
        'Review',
        '--executor',
        'codex',
        '--model',
        'gpt 5',
        '--after',
        first.id,
        '--json',
      ])
    ).json<TaskJson>();
    expect(first.phase.state).toBe('queued');
    expect(second.phase.state).toBe('waiting');
    await house.ok(['task', 'edit', second.id, '--priority', '1', '--tag', 'ui']);
    await house.ok(['task', 'comment', second.id, 'mind the tests']);
    expect((await house.ok(['task', 'show', second.id.slice(-8)])).out).toContain('Review');
    expect((await house.ok(['ready'])).out).toContain('write the parser');
    expect((await house.ok(['ready'])).out).not.toContain('Review');
    await house.ok(['task', 'claim', first.id, '--as', 'ann']);
    expect((await house.ok(['tasks'])).out).toContain('write the parser');
    const refused = await house.fleet(['task', 'complete', first.id, '--as', 'ann']);
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('expects a change and has none')]);
    await house.ok(['task', 'complete', first.id, '--as', 'ann', '--no-changes']);
    const events = (await house.ok(['task', 'events', first.id, '--json'])).json<{ items: { what: string; to?: string }[] }>();
    expect(events.items.map(({ what }) => what)).toEqual(['created', 'claim', 'finish']);
    expect((await house.ok(['status'])).out).toContain('1 done');
    expect((await house.fleet(['task', 'delete', second.id, '--json'])).json()).toMatchObject({ deleted: true });
  });

  it('dispatches what another process has made free, while the engine runs [TASK-03]', async () => {
    await using house = await cliHouse();
    const engine = house.start(['up']);
    const create = async (...more: string[]) =>
      (await house.ok(['task', 'create', '--prompt', 'x', '--json', ...more])).json<TaskJson>();
    const first = await create();
    const second = await create('--after', first.id);
    await vi.waitFor(
      async () => expect((await house.ok(['status', '--json'])).json<{ engine: { pid: number } }>().engine.pid).toBe(engine.pid),
      20_000,
    );
    await house.ok(['task', 'claim', first.id]);
    await house.ok(['task', 'complete', first.id]);
    await vi.waitFor(
      async () => expect((await house.ok(['task', 'show', second.id, '--json'])).json<TaskJson>().phase.state).toBe('queued'),
      { timeout: 20_000, interval: 20 },
    );
    const rival = await house.fleet(['up']);
    expect(rival.code).toBe(4);
    expect(rival.err).toContain(`process ${engine.pid}`);
    engine.kill('SIGTERM');
    expect(await new Promise((resolve) => engine.once('exit', (code) => resolve(code)))).toBe(0);
  });

  it('takes over at once from an engine that was killed [RUN-02]', async () => {
    await using house = await cliHouse();
    const upAt = (pid: number | undefined) =>
      vi.waitFor(
        async () => expect((await house.ok(['status', '--json'])).json<{ engine: { pid?: number } }>().engine.pid).toBe(pid),
        20_000,
      );
    const first = house.start(['up']);
    await upAt(first.pid);
    first.kill('SIGKILL');
    await upAt(undefined);
    const second = house.start(['up']);
    await upAt(second.pid);
  });

  fullOnly('loses nothing and gives nothing twice when 20 processes create and claim at once [TASK-15]', async () => {
    await using house = await cliHouse();
    const program = bundled('test/fixtures/rival.ts');
    const names = Array.from({ length: 20 }, (_, n) => `p${n}`);
    const rivals = await Promise.all(names.map((name) => house.node([program, name, '10'])));
    expect(rivals.map(({ code, err }) => ({ code, err }))).toEqual(names.map(() => ({ code: 0, err: '' })));
    const told = rivals.map((rival) => rival.json<{ made: string[]; won: string[] }>());
    const made = told.flatMap((rival) => rival.made);
    expect(new Set(made).size).toBe(200);
    expect(told.flatMap(({ won }) => won).toSorted()).toEqual(made.toSorted());
    const held = (await house.ok(['task', 'list', '--state', 'running', '--limit', '500', '--json'])).json<{
      items: TaskJson[];
    }>().items;
    expect(held).toHaveLength(200);
    for (const { id, phase } of held) expect(told[names.indexOf(phase.holder?.agent ?? '')]?.won).toContain(id);
  });

  it('creates once for a key, however many processes send it [TASK-08] [R13]', async () => {
    await using house = await cliHouse();
    const send = () => house.ok(['task', 'create', '--prompt', 'x', '--key', 'order 7', '--json']);
    const ids = (await Promise.all(Array.from({ length: 6 }, send))).map((answer) => answer.json<TaskJson>().id);
    expect(new Set(ids).size).toBe(1);
    expect((await house.ok(['task', 'list', '--json'])).json<{ items: unknown[] }>().items).toHaveLength(1);
  });
});
