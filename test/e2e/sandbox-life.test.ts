import { existsSync } from 'node:fs';
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { root } from '../../tools/paths.mjs';
import { type FaultHouse, faultHouse, gone, identityOf, isThere, type RunJson } from '../fixtures/fault-house.ts';
import { boxed, boxedLong, boxHouse, inShop, listener, quoted, surroundings } from '../support/box-house.ts';
import { overHttp, whereIs } from '../support/mcp-house.ts';

const errOf = async (house: FaultHouse, id: string) => (await house.ok(['task', 'log', id, '--stream', 'err'])).out;

describe('an agent in a sandbox', () => {
  boxed('reaches the hosts that are allowed, by name and port, and is told which are not [RUN-16]', async () => {
    await using house = await boxHouse();
    const [open, closed] = [await listener(), await listener()];
    try {
      await house.ok(['config', 'set', `sandbox_hosts=127.0.0.1:${open.port}`]);
      await house.up();
      const ask = (port: number, flags: string) => `curl -s --max-time 5 ${flags} http://127.0.0.1:${port}/; echo " $?"`;
      const id = await house.create(
        [
          ask(open.port, ''),
          ask(open.port, '--noproxy ""'),
          ask(open.port, '-p --noproxy ""'),
          ask(closed.port, '-f --noproxy ""'),
          'exit 0',
        ].join('\n'),
        '--sandbox',
      );
      await house.settled([id]);
      expect((await house.said(id)).split('\n').slice(0, 4)).toEqual(['ok 0', 'ok 0', 'ok 0', ' 22']);
      expect(open.seen()).toBe(3);
      expect(closed.seen()).toBe(0);
      expect(await errOf(house, id)).toContain(`refused to connect to "127.0.0.1:${closed.port}"`);
      // Where a person allows everything, the network is the machine's.
      await house.ok(['config', 'set', 'sandbox_hosts=*']);
      const free = await house.create(`${ask(closed.port, '')}\nexit 0`, '--sandbox');
      await house.settled([free]);
      expect(await house.said(free)).toContain('ok 0');
    } finally {
      for (const { server } of [open, closed]) server.close();
    }
  });

  boxedLong(
    'has Fleet’s tools, also of an engine that came after the one that started it, and ends with its whole tree [RUN-16] [RUN-13]',
    async () => {
      await using house = await boxHouse();
      const first = await house.up();
      const call = (id: number, name: string) =>
        JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } });
      const hello = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
      });
      const bridge = `${quoted(process.execPath)} ${quoted(join(root, 'dist', 'fleet.mjs'))} mcp --run "$FLEET_RUN_DIR"`;
      const script = [
        'echo begun; (setsid sleep 600 &); until [ -e go ]; do sleep 0.1; done',
        `(printf '%s\\n' ${quoted(hello)} ${quoted(call(2, 'get_task'))}; until [ -e seen ]; do sleep 0.1; done) | FLEET_HOME=${quoted(house.home)} ${bridge} | while read -r line; do echo "$line"; case "$line" in *'"id":2'*) touch seen;; esac; done`,
        'exit 0',
      ].join('\n');
      const id = await house.create(script, '--sandbox');
      await vi.waitFor(async () => expect(await house.said(id)).toContain('begun'), 30_000);
      const [begun] = await house.runs(id);
      const { agent } = await identityOf(house, begun?.id ?? '');
      await gone(first.process);
      await house.up();
      await writeFile(join(house.work, 'go'), '');
      await house.settled([id], 60_000);
      expect(await house.outcomes(id)).toEqual(['succeeded']);
      expect(await house.said(id)).toContain(id);
      expect(isThere(agent)).toBe(false);
      await vi.waitFor(() => expect(house.marked()).toEqual([]), 10_000);
    },
  );

  boxedLong(
    'is asked to end like any other, has its time, and is ended with everything in there when it does not [RUN-16] [RUN-13]',
    async () => {
      await using house = await boxHouse(['grace_seconds=20']);
      await house.up();
      const polite = await house.create(
        `trap 'echo "asked"; sleep 0.3; echo "tidied up"; exit 7' TERM\necho begun\nwhile :; do sleep 0.1; done`,
        '--sandbox',
      );
      await vi.waitFor(async () => expect(await house.said(polite)).toContain('begun'), 30_000);
      await house.ok(['task', 'cancel', polite]);
      await house.settled([polite]);
      expect(await house.said(polite)).toBe('begun\nasked\ntidied up\n');
      const [run] = (await house.runs(polite)) as readonly (RunJson & { phase: { exit?: number } })[];
      expect(run?.phase).toMatchObject({ outcome: 'canceled' });
      await house.ok(['config', 'set', 'grace_seconds=1']);
      const deaf = await house.create(
        `trap '' TERM\n(setsid sh -c "trap '' TERM; while :; do sleep 1; done" &)\necho begun\nwhile :; do sleep 0.1; done`,
        '--sandbox',
      );
      await vi.waitFor(async () => expect(await house.said(deaf)).toContain('begun'), 30_000);
      await house.ok(['task', 'cancel', deaf]);
      await house.settled([deaf]);
      await vi.waitFor(() => expect(house.marked()).toEqual([]), 10_000);
    },
  );

  boxedLong('has a home that outlives its runs, and its gate is in a sandbox too, with another [RUN-16] [T8]', async () => {
    await using house = await boxHouse();
    const around = await surroundings(house);
    try {
      const gate = `test ! -e ~/mine && touch ~/here && ! test -e ${quoted(join(around.variables.REAL_HOME, 'notes'))} && ! test -e ${quoted(join(around.beside, 'canary'))}`;
      await house.ok(['project', 'set', 'shop', '--verify', gate]);
      await house.up();
      const id = await inShop(
        house,
        'echo 1 > ~/mine; echo more >> README; git commit -qam more; exit 0',
        '--integration',
        'auto',
      );
      await house.settled([id]);
      expect(await house.task(id)).toMatchObject({ phase: { state: 'done' } });
      expect((await stat(join(house.home, 'tasks', id, 'home', 'mine'))).isFile()).toBe(true);
      expect(existsSync(join(around.variables.REAL_HOME, 'mine'))).toBe(false);
    } finally {
      await around.end();
    }
  });
});

describe('where there is no sandbox', () => {
  const broken = async (house: FaultHouse, text: string) => {
    const bin = join(house.directory, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'bwrap'), `#!/bin/sh\n${text}\n`);
    await chmod(join(bin, 'bwrap'), 0o755);
    const env: Record<string, string> = house.env;
    env['PATH'] = `${bin}:${env['PATH']}`;
  };

  it.each([
    ['No permissions to create new namespace', 'bubblewrap cannot make one here: bwrap: No permissions to create new namespace'],
    [
      'Unknown option --disable-userns',
      'bubblewrap is too old: bwrap: Unknown option --disable-userns; 0.8.0 or newer is needed',
    ],
  ])(
    'a task that asks for one is refused when it is handed in, through every door, and says what to do [RUN-16]: %s',
    async (said, meant) => {
      await using house = await faultHouse();
      await broken(house, `echo "bwrap: ${said}" >&2; exit 1`);
      await house.up();
      const why = `no sandbox can be made here: ${meant}`;
      const asked = ['task', 'create', 'touch ran', '--directory', house.work, '--executor', 'shell', '--sandbox'];
      expect(await house.fleet(asked)).toMatchObject({ code: 7, err: expect.stringContaining(why) });
      const where = await whereIs(house);
      const wish = { prompt: 'touch ran', directory: house.work, executor: ['shell'], sandbox: true };
      const answer = await fetch(`${where.url}/v1/tasks`, {
        method: 'POST',
        headers: { authorization: `Bearer ${where.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(wish),
      });
      expect(await answer.json()).toMatchObject({ status: 503, detail: expect.stringContaining(why) });
      await using way = await overHttp(where, 'auto');
      await expect(way.call('task_create', { ...wish, executor: 'shell' })).rejects.toThrow(why);
      const held = await house.create('touch ran; exit 0', '--draft');
      expect(await house.fleet(['task', 'edit', held, '--sandbox'])).toMatchObject({
        code: 7,
        err: expect.stringContaining(why),
      });
      expect(existsSync(join(house.work, 'ran'))).toBe(false);
      const { items } = (await house.ok(['doctor', '--json'])).json<{
        items: { name: string; state: string; detail?: string }[];
      }>();
      expect(items.find(({ name }) => name === 'bwrap')).toMatchObject({
        state: 'broken',
        detail: expect.stringContaining(said),
      });
    },
  );

  boxed('a task that was made while there was one is not started without [RUN-16]', async () => {
    await using house = await boxHouse();
    const id = await house.create('touch ran; exit 0', '--draft', '--sandbox');
    await broken(house, 'echo "bwrap: No permissions to create new namespace" >&2; exit 1');
    await house.up();
    await house.ok(['task', 'dispatch', id]);
    await house.settled([id]);
    const [last] = await house.runs(id);
    expect(last?.phase).toMatchObject({ outcome: 'refused', detail: expect.stringContaining('bubblewrap cannot make one here') });
    expect(existsSync(join(house.work, 'ran'))).toBe(false);
  });

  boxedLong('a place that holds the home itself is refused [RUN-16]', async () => {
    await using house = await boxHouse();
    await house.up();
    const words = ['task', 'create', '--directory', house.directory, '--prompt', 'exit 0', '--sandbox', '--json'];
    const { id } = (await house.ok(words)).json<{ id: string }>();
    await house.settled([id]);
    const [last] = await house.runs(id);
    expect(last?.phase).toMatchObject({ outcome: 'refused', detail: expect.stringContaining('could not be hidden') });
  });
});
