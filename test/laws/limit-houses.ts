import { once } from 'node:events';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { vi } from 'vitest';
import { WebSocket } from 'ws';
import { factsOf } from '../../src/app/run-facts.ts';
import { Fault } from '../../src/domain/fault.ts';
import { LIMITS } from '../../src/domain/limits.ts';
import type { Run } from '../../src/domain/run/run.ts';
import type { Task } from '../../src/domain/task/task.ts';
import type { RunId } from '../../src/domain/values.ts';
import { takeTurn } from '../../src/engine/controller.ts';
import { pruneDeleted } from '../../src/engine/prune-deleted.ts';
import { QueueHeads } from '../../src/engine/queue-heads.ts';
import { redactor } from '../../src/redact/redactor.ts';
import { openMemoryStore } from '../../src/store/memory/memory-store.ts';
import type { Store } from '../../src/store/port.ts';
import { runs } from '../../src/store/records/runs.ts';
import { tasks } from '../../src/store/records/tasks.ts';
import { Hub } from '../../src/surfaces/live/hub.ts';
import { socketDoor } from '../../src/surfaces/live/socket.ts';
import { copyIn } from '../../src/workspace/tree/copy-files.ts';
import { engineHouse } from '../support/engine-house.ts';
import { type MemoryHouse, memoryHouse } from '../support/memory-house.ts';
import { withRuns } from '../support/run-house.ts';
import { inDirectory, many } from './limit-proof.ts';

const DAY_MS = 86_400_000;

/** The store, but for these. */
const over = (store: Store, others: Partial<Store>): Store =>
  new Proxy(store, {
    get: (target, name) => {
      if (Object.hasOwn(others, name)) return others[name as keyof Store];
      const own: unknown = Reflect.get(target, name, target);
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });

export const refuseCopy = (isRefused: boolean, most: number): void => {
  if (isRefused) throw new Error(`more than ${most}`);
};

/** A file of so many bytes, with nothing in it, that a project wants copied; what is at the limit would be copied for long. */
export async function copiedFile(bytes: number): Promise<void> {
  if (bytes === LIMITS.copiedBytes.value) return;
  const { skipped } = await inDirectory(async (path) => {
    for (const name of ['from', 'to']) mkdirSync(join(path, name));
    writeFileSync(join(path, 'from/large'), '');
    truncateSync(join(path, 'from/large'), bytes);
    const ground = { site: { path: join(path, 'to') }, repository: { workTree: join(path, 'from') }, env: {} };
    return copyIn(ground as never, ['large']);
  });
  refuseCopy(skipped.includes('large'), LIMITS.copiedBytes.value);
}

/** How often a command looks again while it loses every race. */
export async function commitTries(): Promise<number> {
  const store = openMemoryStore();
  let tries = 0;
  const losing: Store = over(store, {
    commit: async () => {
      tries += 1;
      throw new Fault('conflict', 'somebody was faster');
    },
  });
  const { call } = memoryHouse({ store: losing });
  const refusal = await call('project.add', { path: '/repo' }).then(
    () => 'not refused',
    (error: unknown) => String(error),
  );
  if (!refusal.includes(`${LIMITS.commitAttempts.value} times`)) throw new Error(`it was not said: ${refusal}`);
  return tries;
}

/** So many tasks like one that was created. */
async function copies(house: MemoryHouse, count: number, more: (n: number) => Partial<Task>): Promise<void> {
  const { id } = await house.call('task.create', { directory: '/plain', prompt: 'sort' });
  const seen = await tasks.get(house.store, id);
  if (!seen) throw new Error('gone');
  const rows = many(count - 1, (n) => tasks.put({ ...seen.body, id: house.ids.task(), ...more(n) }, 'absent'));
  for (let at = 0; at < rows.length; at += 100) await house.store.commit(rows.slice(at, at + 100));
}

/** How many rows a filtered list has looked at for one page, with so many tasks. */
export async function examinedRows(count: number): Promise<number> {
  const store = openMemoryStore();
  const house = memoryHouse({ store });
  await copies(house, count, () => ({}));
  let examined = 0;
  const counting: Store = over(store, {
    scan: async (wish: Parameters<Store['scan']>[0]) => {
      const hits = await store.scan(wish);
      examined += hits.length;
      return hits;
    },
  });
  await memoryHouse({ store: counting }).call('task.list', { tag: 'nobody has it', limit: 10 });
  return examined;
}

export async function lanesSeen(count: number): Promise<number> {
  const house = engineHouse();
  await copies(house, count, (n) => ({ directory: `/place/${n}` }));
  return (await new QueueHeads(house.needs).look()).length;
}

/** The days, where the answer to a keyed command is still known after them. */
export async function forgottenAfter(days: number): Promise<number> {
  const house = engineHouse();
  const create = () => house.call('task.create', { directory: '/plain', prompt: 'sort' }, { key: 'once' });
  const { id } = await create();
  house.pass(days * DAY_MS);
  await takeTurn(pruneDeleted(house.needs));
  return (await create()).id === id ? days : 0;
}

export async function addedServers(count: number): Promise<void> {
  const mcpServers = Object.fromEntries(many(count, (n) => [`server${n}`, { command: 'x' }]));
  await memoryHouse().call('project.add', { path: '/repo', mcpServers });
}

export async function sentMessages(count: number): Promise<void> {
  const { call } = memoryHouse();
  const { id } = await call('task.create', { directory: '/plain', prompt: 'sort' });
  for (const text of many(count, (n) => `message ${n}`)) await call('task.send', { id, text });
}

/** How many runs before it a run is told of. */
export async function toldRuns(count: number): Promise<number> {
  const house = await withRuns();
  const { id } = await house.create('sort');
  const at = house.now();
  const run = (n: number): Run => ({
    ...{ id: house.ids.run(), seq: 1, taskId: id, kind: 'agent', attempt: n + 1, executor: 'claude', host: 'here', holds: [] },
    ...{ phase: { state: 'ended', at, outcome: 'crashed' }, createdAt: at, updatedAt: at },
  });
  await house.store.commit(many(count, (n) => runs.put(run(n), 'absent')));
  const { call } = await house.begin(id);
  return (await call('run.context', {})).earlier.length;
}

/** How much of the record of a start of that length is shown: all or nothing. */
export const shownFacts = (bytes: number): Promise<number> =>
  inDirectory(async (path) => {
    mkdirSync(join(path, 'run_1'));
    const job = (word: string) =>
      JSON.stringify({ command: 'agent', args: [word], workDirectory: '/w', mode: 'oneway', env: [] });
    writeFileSync(join(path, 'run_1/job.json'), job('x'.repeat(bytes - job('').length)));
    const { launch } = await factsOf(path, { redactorFor: async () => redactor([]) })('run_1' as RunId);
    return launch ? bytes : 0;
  });

const caller = { id: 'owner', name: 'you', role: 'admin' } as const;

function hubOf(elapsed: () => number) {
  const { call } = memoryHouse();
  const needs = {
    identify: async () => caller,
    callAs: () => call,
    owner: call,
    rules: () => ({ hosts: new Set<string>(), origins: new Set<string>(), rate: 1_000, runRate: 1_000 }),
    elapsed,
    log: () => undefined,
    onNews: () => undefined,
    output: {
      read: async (_id: string, _stream: string, { after }: { after: number }) => ({ items: [], next: after }),
      follow: () => () => undefined,
    },
  } as unknown as ConstructorParameters<typeof Hub>[0];
  return { hub: new Hub(needs), needs };
}

const wireOf = (socket: PassThrough, end: (why: string) => void = () => undefined) => ({
  ...{ socket, write: () => undefined, beat: () => undefined, end },
});

export async function liveStreams(count: number): Promise<void> {
  const { hub } = hubOf(() => 0);
  try {
    for (const token of many(count, String)) hub.connect({ token, caller }, wireOf(new PassThrough()));
  } finally {
    await hub.close();
  }
}

/** A client that takes up nothing for so long. */
export async function stalledFor(ms: number): Promise<void> {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const clock = { ms: 0 };
  const { hub } = hubOf(() => clock.ms);
  try {
    const socket = Object.defineProperty(new PassThrough(), 'writableLength', { value: LIMITS.liveBufferBytes.value + 1 });
    let ended: string | undefined;
    const { pipe } = hub.connect(
      { token: 'token', caller },
      wireOf(socket, (why) => (ended ??= why)),
    );
    pipe.isFull();
    clock.ms = ms;
    await vi.advanceTimersByTimeAsync(1_000);
    if (ended !== undefined) throw new Error(`${ended}: nothing was taken up for more than ${LIMITS.liveStallMs.value} ms`);
  } finally {
    vi.useRealTimers();
    await hub.close();
  }
}

/** A message of so many bytes over a WebSocket. */
export async function saidOverSocket(bytes: number): Promise<void> {
  const { hub, needs } = hubOf(() => 0);
  const door = socketDoor(hub, needs as never);
  const server = createServer().on('upgrade', (request, socket, head) =>
    door(Object.assign(request, { isLocal: true }), socket, head),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/live`, {
    headers: { authorization: 'Bearer token' },
  });
  try {
    const outcome = new Promise<number>((resolve) => {
      client.on('close', resolve);
      client.on('message', (text: Buffer) => text.toString('utf8').includes('invalid') && resolve(0));
    });
    await once(client, 'open');
    client.send(JSON.stringify('x'.repeat(bytes - 2)));
    const code = await outcome;
    if (code !== 0) throw new Error(`closed with ${code}: longer than ${LIMITS.liveMessageBytes.value} bytes`);
  } finally {
    client.terminate();
    await hub.close();
    server.close();
  }
}
