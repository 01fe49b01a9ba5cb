import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../tools/paths.mjs';
import { type FaultHouse, faultHouse } from '../fixtures/fault-house.ts';
import { boxed, boxHouse, quoted } from '../support/box-house.ts';

const CANARY = 'words of another task';
const fleet = `${quoted(process.execPath)} ${quoted(join(root, 'dist', 'fleet.mjs'))}`;

let house: FaultHouse;
/** A task of somebody else's whose work waits for a person. */
let waiting: string;
let before: unknown;

beforeAll(async () => {
  house = await boxHouse();
  const repo = await house.repository('shop');
  await house.ok(['project', 'add', repo, '--name', 'shop', '--integration', 'review']);
  await house.up([], false);
  const prompt = `echo ${quoted(CANARY)}; echo more >> README; git commit -qam more; exit 0`;
  const made = await house.ok(['task', 'create', '--project', 'shop', '--prompt', prompt, '--json']);
  waiting = made.json<{ id: string }>().id;
  await house.settled([waiting]);
  before = await standing();
  expect(before).toMatchObject({ state: 'blocked', tokens: ['you'] });
});

afterAll(async () => {
  await house[Symbol.asyncDispose]();
});

/** What an owner could have changed. */
async function standing() {
  const json = async (...words: string[]) => (await house.ok([...words, '--json'])).json<never>();
  const { phase } = await house.task(waiting);
  const { items } = (await json('token', 'list')) as { items: { name: string }[] };
  return {
    state: phase.state,
    tokens: items.map(({ name }) => name),
    config: await json('config', 'show'),
    engine: JSON.parse(await readFile(join(house.home, 'up.json'), 'utf8')),
    head: (await house.git(join(house.directory, 'shop'), 'rev-parse', 'main')).out,
  };
}

/** What an agent has printed that was told to do this. */
async function told(script: string, ...flags: readonly string[]): Promise<{ id: string; out: string }> {
  const id = await house.create(`exec 2>&1\n${script}\nexit 0`, ...flags);
  await house.settled([id]);
  return { id, out: await house.said(id) };
}

const OWNERS = [
  'task approve "$VICTIM"',
  'task merge "$VICTIM"',
  'task log "$VICTIM"',
  'task events "$VICTIM"',
  'task cancel "$VICTIM"',
  'token create backdoor --role admin',
  'config set executor=evil',
  'db backup stolen.db',
  'up --stop',
  'up --background',
  'login',
  'log',
  'status',
];

/** How an agent could hide that it is one. */
const GUISES = {
  'as it was started': fleet,
  'with the home named': `env FLEET_HOME="$REAL_HOME" ${fleet}`,
  'without the variable that names its run': `env -u FLEET_RUN_DIR ${fleet}`,
  'without any variable of Fleet': `env -u FLEET_RUN_DIR -u FLEET_RUN_ID -u FLEET_RUN_MARK -u FLEET_TASK_ID FLEET_HOME="$REAL_HOME" ${fleet}`,
  'with an environment of its own': `env -i FLEET_HOME="$REAL_HOME" HOME="$HOME" PATH="$PATH" ${fleet}`,
  'with a run directory elsewhere': `env FLEET_RUN_DIR=/nowhere/runs/run_1 ${fleet}`,
  'with a run directory elsewhere and the home named': `env FLEET_HOME="$REAL_HOME" FLEET_RUN_DIR=/nowhere/runs/run_1 ${fleet}`,
};

const each = (guise: string) =>
  [`VICTIM=${waiting}; REAL_HOME=${quoted(house.home)}`, ...OWNERS.map((words) => `${guise} ${words}; echo "= $?"`)].join('\n');
const codes = (out: string) => [...out.matchAll(/^= (\d+)$/gm)].map(([, code]) => Number(code));

describe('an agent that types `fleet`', () => {
  for (const [name, guise] of Object.entries(GUISES))
    it(`${name} approves, makes, changes and reads nothing that is its owner's [T19] [T7]`, async () => {
      const { out } = await told(each(guise));
      expect(codes(out), out).toHaveLength(OWNERS.length);
      expect(codes(out), out).not.toContain(0);
      expect(out).not.toContain(CANARY);
      expect(await standing()).toEqual(before);
    });

  for (const [name, harm] of Object.entries({
    'has removed it': 'rm "$FLEET_RUN_DIR/mcp-token"',
    'has emptied it': ': > "$FLEET_RUN_DIR/mcp-token"',
    'has changed it': 'echo eyJhbGciOiJIUzI1NiJ9.e30.x > "$FLEET_RUN_DIR/mcp-token"',
    'has put a pipe in its place': 'rm "$FLEET_RUN_DIR/mcp-token"; mkfifo "$FLEET_RUN_DIR/mcp-token"',
  }))
    it(`without the token of its run, because it ${name}, is refused and not raised to the owner [T5]`, async () => {
      const { out } = await told(`${harm}\n${each(fleet)}\n${fleet} run context; echo "= $?"`);
      expect(codes(out), out).toHaveLength(OWNERS.length + 1);
      expect(codes(out), out).not.toContain(0);
      expect(out).not.toContain(CANARY);
      expect(await standing()).toEqual(before);
    });

  it('is named in the history of what it may do: its run, and not its owner', async () => {
    const { id, out } = await told(`${fleet} task comment "$FLEET_TASK_ID" 'said inside'; ${fleet} task create 'exit 0' --json`);
    const { items } = (await house.ok(['task', 'events', id, '--json'])).json<{ items: { by: string; what: string }[] }>();
    const [run] = await house.runs(id);
    expect(items.filter(({ what }) => /comment/.test(what)).map(({ by }) => by)).toEqual([run?.id]);
    expect(JSON.parse(out.slice(out.indexOf('{')))).toMatchObject({ parentId: id, createdBy: run?.id });
  });

  const own = [
    `${fleet} run context`,
    `${fleet} run context --json`,
    `${fleet} report submit --status succeeded --summary 'well done' --done one`,
    `${fleet} report submit --status succeeded --summary 'well done' --json`,
    `${fleet} inbox read`,
    `${fleet} inbox read --json`,
    `${fleet} question ask 'which?' --option left --option right`,
    `${fleet} question ask 'which?' --json`,
    `${fleet} question withdraw "$(${fleet} question list --json | sed 's/.*"id":"\\(question_[a-z0-9]*\\)".*/\\1/')"`,
  ];
  const does = async (...flags: readonly string[]) => {
    const { id, out } = await told(own.map((words) => `${words}; echo "= $?"`).join('\n'), ...flags);
    expect(codes(out), out).toEqual(own.map(() => 0));
    expect(out).toContain('well done');
    expect(out).toContain(id);
    expect((await house.ok(['task', 'report', id, '--json'])).json()).toMatchObject({ reports: [{ summary: 'well done' }] });
  };
  it('reports, asks, reads its messages and its context with it [T19]', () => does());
  boxed('reports, asks, reads its messages and its context with it in a sandbox [T19] [RUN-16]', () => does('--sandbox'));
});

/** Asks over a socket or the port for what is the owner's, with the token of the run. */
const ASK = `
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
const [victim, home, ...doors] = process.argv.slice(2);
const token = readFileSync(process.env.FLEET_RUN_DIR + '/mcp-token', 'utf8').trim();
const asks = [
  ['POST', '/v1/tasks/' + victim + '/approve', {}], ['POST', '/v1/tasks/' + victim + '/merge', {}],
  ['POST', '/v1/tasks/' + victim + '/cancel', {}], ['GET', '/v1/tasks/' + victim + '/log'],
  ['POST', '/v1/tokens', { name: 'backdoor', role: 'admin' }], ['PATCH', '/v1/config', { assignments: ['executor=evil'] }],
  ['GET', '/v1/config'], ['POST', '/v1/db/backup', {}],
];
for (const door of doors) for (const [method, path, body] of asks) await new Promise((done) => {
  const where = door.startsWith('/') ? { socketPath: door } : { host: '127.0.0.1', port: door };
  const headers = { authorization: 'Bearer ' + token, 'fleet-as': 'you', ...(body ? { 'content-type': 'application/json' } : {}) };
  const sent = request({ ...where, method, path, headers: { ...headers, host: door.startsWith('/') ? 'fleet' : '127.0.0.1:' + door } }, (answer) => {
    answer.setEncoding('utf8').on('data', (text) => console.log(text)).on('end', () => { console.log('= ' + answer.statusCode); done(); });
  });
  sent.end(body && JSON.stringify(body));
});
`;

describe('an agent with the token of its run', () => {
  it('gets no more by either socket, by the port or by MCP than by the command line [T19] [T7]', async () => {
    await writeFile(join(house.work, 'ask.mjs'), ASK);
    const { url } = JSON.parse(await readFile(join(house.home, 'up.json'), 'utf8')) as { url: string };
    const doors = [join(house.home, 'agents.sock'), join(house.home, 'fleet.sock'), new URL(url).port];
    const words = [waiting, house.home, ...doors].map(quoted).join(' ');
    const { out } = await told(`${quoted(process.execPath)} ask.mjs ${words}`);
    expect(codes(out), out).toHaveLength(8 * doors.length);
    expect(
      codes(out).filter((status) => status !== 403 && status !== 404),
      out,
    ).toEqual([]);
    expect(out).not.toContain(CANARY);
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
    const call = (id: number, name: string, args: object) => ({ id, method: 'tools/call', params: { name, arguments: args } });
    const lines = [
      { id: 1, method: 'initialize', params: hello },
      call(2, 'task_approve', { id: waiting }),
      call(3, 'task_merge', { id: waiting }),
      call(4, 'get_task', { id: waiting }),
      { id: 5, method: 'tools/list' },
    ].map((line) => quoted(JSON.stringify({ jsonrpc: '2.0', ...line })));
    const spoken = (guise: string) => `(printf '%s\\n' ${lines.join(' ')}; sleep 2) | ${guise} mcp`;
    const script = [
      `REAL_HOME=${quoted(house.home)}`,
      ...Object.values(GUISES).map(spoken),
      `${fleet} mcp --toolset admin < /dev/null; echo "= $?"`,
    ];
    const mcp = await told(script.join('\n'));
    expect(codes(mcp.out)).not.toContain(0);
    expect(mcp.out).not.toContain('"name":"task_approve"');
    expect(mcp.out).not.toContain(CANARY);
    expect(await standing()).toEqual(before);
  });

  it('finds nobody but runs let in at the socket of runs, whoever’s token it has found [T6]', async () => {
    const admin = (await readFile(join(house.home, 'admin.token'), 'utf8')).trim();
    const ask = (path: string, token?: string) =>
      house.node([
        '-e',
        `
        const request = require('node:http').request({ socketPath: ${JSON.stringify(join(house.home, 'agents.sock'))}, path: ${JSON.stringify(path)},
          agent: false, headers: { host: 'fleet', ${token ? `authorization: 'Bearer ${token}'` : ''} } }, (answer) => { console.log(answer.statusCode); answer.resume(); });
        request.end();`,
      ]);
    expect((await ask('/v1/status', admin)).out).toBe('403\n');
    expect((await ask('/health')).out).toBe('401\n');
    expect((await ask('/login')).out).toBe('401\n');
  });
});

it('whoever tests a fleet of its own inside of a run is the owner of that one', async () => {
  await using other = await faultHouse();
  const { out } = await told(`FLEET_HOME=${quoted(other.home)} ${fleet} token create mine --role monitor --json; echo "= $?"`);
  expect(codes(out)).toEqual([0]);
});
