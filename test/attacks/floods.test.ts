import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { LIMITS } from '../../src/domain/limits.ts';
import { root } from '../../tools/paths.mjs';
import { type FaultHouse, faultHouse } from '../fixtures/fault-house.ts';
import { boxed, boxHouse, quoted } from '../support/box-house.ts';
import { serverHouse } from '../support/server-house.ts';

const MANY = 2_400;

describe('an attacker without a token', () => {
  it('blocks the port for nobody by thousands of connections that say nothing or half of something, refilled [T28]', async () => {
    await using place = await serverHouse();
    const port = Number(new URL(place.url).port);
    const open = new Set<Socket>();
    let [made, isOver] = [0, false];
    const begin = () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.on('connect', () => {
        made += 1;
        open.add(socket);
        if (made % 2 === 0) socket.write('GET /v1/tasks HTTP/1.1\r\nhost: 127.0');
      });
      socket.on('close', () => {
        open.delete(socket);
        if (!isOver) setImmediate(begin);
      });
    };
    for (let n = 0; n < MANY; n += 1) begin();
    try {
      await vi.waitFor(() => expect(made).toBeGreaterThan(MANY));
      for (let n = 0; n < 20; n += 1) expect((await place.ask('/v1/tasks', { token: place.admin })).status).toBe(200);
      const before = made;
      await vi.waitFor(() => expect(made).toBeGreaterThan(before + MANY));
      expect((await place.ask('/v1/tasks', { token: place.admin })).status).toBe(200);
    } finally {
      isOver = true;
      for (const socket of open) socket.destroy();
    }
  });
});

/** Opens so many connections and refills them; with a token each shows it, and asks again and again. */
const FLOOD = `
import { connect } from 'node:net';
const [path, many, token] = process.argv.slice(2);
let made = 0;
const ask = () => 'GET /v1/runs HTTP/1.1\\r\\nhost: fleet\\r\\nauthorization: Bearer ' + token + '\\r\\n\\r\\n';
const begin = () => {
  const socket = connect(path);
  socket.on('error', () => undefined).on('data', () => undefined);
  socket.on('connect', () => {
    made += 1;
    if (token) socket.write(ask());
    else if (made % 2) socket.write('GET /v1/tasks HTTP/1.1\\r\\nhost: fl');
  });
  socket.on('close', () => setTimeout(begin, 5));
};
for (let n = 0; n < Number(many); n += 1) begin();
setInterval(() => console.log('made ' + made), 200);
`;

const fleet = `${quoted(process.execPath)} ${quoted(join(root, 'dist', 'fleet.mjs'))}`;

async function flooding(house: FaultHouse, path: string, { token = '', flags = [] as string[] } = {}): Promise<string> {
  await writeFile(join(house.work, 'flood.mjs'), FLOOD);
  const id = await house.create(`exec ${quoted(process.execPath)} flood.mjs ${path} 2000 ${token}`, ...flags);
  await vi.waitFor(async () => expect(Number(/made (\d+)\s*$/.exec(await house.said(id))?.[1])).toBeGreaterThan(60));
  return id;
}

/** Another run, in a directory of its own, asks for its context. */
async function otherAsks(house: FaultHouse, ...flags: readonly string[]): Promise<void> {
  const directory = join(house.directory, 'elsewhere');
  await mkdir(directory);
  const prompt = `${fleet} run context --json; echo "left with $?"; exit 0`;
  const made = await house.ok(['task', 'create', '--directory', directory, '--prompt', prompt, '--json', ...flags]);
  const { id } = made.json<{ id: string }>();
  await house.settled([id]);
  const said = await house.said(id);
  expect(said).toContain('left with 0');
  expect(said).toContain(id);
}

/** The owner looks, and ends that very task, as if nothing were the matter. */
async function ownerEnds(house: FaultHouse, id: string): Promise<void> {
  expect((await house.ok(['status', '--json'])).json()).toMatchObject({ engine: { running: true } });
  expect((await house.ok(['task', 'show', id])).out).toContain('running');
  await house.ok(['task', 'cancel', id]);
  await house.settled([id]);
  expect((await house.task(id)).phase.state).toBe('canceled');
}

describe('an agent that opens two thousand connections', () => {
  const doors = {
    'to the door of runs': { path: '"$FLEET_RUN_DIR/../../agents.sock"', token: '' },
    'to the door of runs, with its token': {
      path: '"$FLEET_RUN_DIR/../../agents.sock"',
      token: '"$(cat "$FLEET_RUN_DIR/mcp-token")"',
    },
    'to the door of the owner': { path: '"$FLEET_RUN_DIR/../../fleet.sock"', token: '' },
  };
  for (const [name, { path, token }] of Object.entries(doors))
    it(`${name} locks neither the owner out nor another run [T28]`, async () => {
      await using house = await faultHouse();
      await house.up();
      const id = await flooding(house, path, { token });
      await otherAsks(house);
      await ownerEnds(house, id);
    });

  boxed(
    'from a sandbox locks neither the owner out nor another run, and the engine sees few of them [T28] [RUN-16]',
    async () => {
      await using house = await boxHouse();
      const engine = await house.up();
      const id = await flooding(house, '/run/fleet/fleet', { flags: ['--sandbox'] });
      const open = (await readFile(`/proc/${engine.pid}/net/unix`, 'utf8'))
        .split('\n')
        .filter((line) => line.endsWith('agents.sock'));
      expect(open.length).toBeLessThan(LIMITS.unauthenticatedConnections.value);
      await otherAsks(house, '--sandbox');
      await ownerEnds(house, id);
    },
  );
});
