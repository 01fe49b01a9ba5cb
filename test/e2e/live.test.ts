import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFailed, vi } from 'vitest';
import { openServices } from '../../src/app/open-services.ts';
import { follow, type LiveEvent } from '../../src/wire/live.ts';
import { type FaultHouse, faultHouse } from '../fixtures/fault-house.ts';
import { fullOnly, inFullRun } from '../full-only.ts';
import { openLive, PlainClient, type Where } from '../support/live-client.ts';

const AGENTS = inFullRun ? 50 : 12;
const LINES = inFullRun ? 600 : 120;
const KILLS = inFullRun ? 3 : 2;
const MOST_CHANGES = 10;

const talking = (lines: number) =>
  `n=0\nwhile [ $n -lt ${lines} ]; do n=$((n + 1)); echo "out $n"; echo "err $n" >&2; sleep 0.05; done\nexit 0`;

async function whereIs(house: FaultHouse): Promise<Where> {
  return { socket: join(house.home, 'fleet.sock'), token: (await readFile(join(house.home, 'admin.token'), 'utf8')).trim() };
}

const textsOf = (client: PlainClient, stream: string): string[] =>
  client.seen
    .map(({ event, data }) => ({ event, data: JSON.parse(data) as { stream: string; text: string } }))
    .filter(({ event, data }) => event === 'line' && data.stream === stream)
    .map(({ data }) => data.text);

const numbered = (word: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${word} ${n + 1}`);

async function listening(engine: { log(): string }): Promise<void> {
  await vi.waitFor(() => expect(engine.log()).toContain('http.listening'), 10_000);
}

describe('live streams', () => {
  it('miss nothing and repeat nothing when clients and the server come and go while agents write [API-04] [R43]', async () => {
    // These clients come back at once, again and again, as no client should.
    await using house = await faultHouse(['rate_limit=100000']);
    let engine = await house.up();
    await listening(engine);
    const where = await whereIs(house);
    const ids = await house.queue(Array.from({ length: AGENTS }, (_, n) => ({ title: `agent${n}`, script: talking(LINES) })));
    await vi.waitFor(async () => expect(await house.runs()).toHaveLength(AGENTS), { timeout: 30_000, interval: 200 });
    const runs = (await house.runs()).map(({ id }) => id);
    const ofRuns = runs.map((id) => new PlainClient(() => where, `run/${id}`).start());
    const ofTasks = [...ids.values()].slice(0, AGENTS / 2).map((id) => new PlainClient(() => where, `task/${id}`).start());
    const clients = [...ofRuns, ...ofTasks];
    onTestFailed(() => {
      const lines = clients.map(({ seen, connections, last }) => `${seen.length} events, ${connections} connections, ${last}`);
      process.stderr.write(`${lines.join('\n')}\n`);
    });
    const dropping = setInterval(() => clients[Math.floor(Math.random() * clients.length)]?.drop(), 15);
    try {
      for (let kill = 0; kill < KILLS; kill += 1) {
        // Each server is left when it has told something of runs that still go on; the last agents to start are the last to end.
        const told = () => ofRuns.reduce((sum, { seen }) => sum + seen.length, 0);
        const soFar = told();
        await vi.waitFor(() => expect(told()).toBeGreaterThan(soFar + AGENTS), 30_000);
        expect(ofRuns.some((client) => !client.hasEnded())).toBe(true);
        engine.process.kill(kill % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
        await vi.waitFor(() => expect(engine.process.exitCode ?? engine.process.signalCode).not.toBeNull(), 10_000);
        engine = await house.up();
        await listening(engine);
      }
      await vi.waitFor(() => expect(ofRuns.filter((client) => !client.hasEnded())).toEqual([]), {
        timeout: 90_000,
        interval: 100,
      });
      const isSettled = ({ seen }: PlainClient) => seen.some(({ data }) => (JSON.parse(data) as { to?: string }).to === 'done');
      await vi.waitFor(() => expect(ofTasks.filter((client) => !isSettled(client))).toEqual([]), 20_000);
    } finally {
      clearInterval(dropping);
      await Promise.all(clients.map((client) => client.stop()));
    }
    for (const client of ofRuns) {
      expect(textsOf(client, 'out')).toEqual(numbered('out', LINES));
      expect(textsOf(client, 'err')).toEqual(numbered('err', LINES));
    }
    for (const client of ofTasks)
      expect(client.seen.map(({ id }) => Number(id?.split('@')[1]))).toEqual(client.seen.map((_, n) => n + 1));
    expect(Math.max(...clients.map(({ connections }) => connections))).toBeGreaterThan(KILLS);
  });

  fullOnly('end with a word when Fleet stops, and the client goes on with the next server [API-04]', async () => {
    await using house = await faultHouse();
    const engine = await house.up();
    await listening(engine);
    const where = await whereIs(house);
    const task = await house.create(talking(60));
    await vi.waitFor(async () => expect(await house.runs(task)).toHaveLength(1), 20_000);
    const [run] = await house.runs(task);
    const stop = new AbortController();
    const seen: LiveEvent[] = [];
    const following = (async () => {
      const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
      const open = (target: string, signal: AbortSignal) => openLive(where, target, signal);
      const needs = { open, pause, random: Math.random, signal: stop.signal };
      for await (const event of follow({ topics: [`run/${run?.id}`] }, needs)) seen.push(event);
    })();
    try {
      await vi.waitFor(() => expect(seen.length).toBeGreaterThan(10), 20_000);
      const stream = await openLive(where, `/v1/live?topic=run/${run?.id}`, stop.signal);
      engine.process.kill('SIGTERM');
      let text = '';
      for await (const part of stream.text) text += part;
      expect(text).toMatch(/event: bye\ndata: {"why":"stopping"}\n\n$/);
      await listening(await house.up());
      await following;
    } finally {
      stop.abort();
    }
    const texts = seen.filter(({ event }) => event === 'line').map(({ data }) => data as { stream: string; text: string });
    for (const stream of ['out', 'err'])
      expect(texts.filter((line) => line.stream === stream).map(({ text }) => text)).toEqual(numbered(stream, 60));
    expect(seen.at(-1)?.event).toBe('end');
  });

  it('say on the board what has changed, and begin afresh when another process has changed something [API-04]', async () => {
    await using house = await faultHouse();
    await listening(await house.up());
    const where = await whereIs(house);
    const board = new PlainClient(() => where, 'board').start();
    const questions = new PlainClient(() => where, 'questions').start();
    const told = (client: PlainClient) => client.seen.map(({ event, data }) => ({ event, ...(JSON.parse(data) as object) }));
    /**
     * What was changed is told as it is, unless a hint of another process (a command that has just ended, say) came at the same
     * moment: then clients are asked to begin afresh, and the change is made once more.
     */
    const toldOf = async (client: PlainClient, noun: string, change: () => Promise<unknown>, fact: object): Promise<unknown> => {
      for (let attempt = 1; ; attempt += 1) {
        const before = client.seen.length;
        const id = await change();
        const expected = { event: 'at', topic: noun === 'task' ? 'board' : 'questions', [noun]: id, ...fact };
        const since = () => told(client).slice(before);
        const isTold = () => since().some((one) => JSON.stringify(one) === JSON.stringify(expected));
        await vi.waitFor(() => expect(isTold() || since().some(({ event }) => event === 'reset')).toBe(true), 5_000);
        if (isTold()) return id;
        if (attempt === MOST_CHANGES) expect(since()).toContainEqual(expected);
      }
    };
    try {
      await vi.waitFor(() =>
        expect([told(board)[0], told(questions)[0]]).toMatchObject([{ event: 'reset' }, { event: 'reset' }]),
      );
      const made = async () =>
        (await house.ok(['task', 'create', '--directory', house.work, '--prompt', 'x', '--draft', '--json'])).json()['id'];
      const task = await toldOf(board, 'task', made, { n: 1 });
      await toldOf(questions, 'question', async () => (await house.ok(['question', 'ask', 'why?', '--json'])).json()['id'], {
        n: 1,
      });
      await toldOf(
        board,
        'task',
        async () => {
          const id = await made();
          await house.ok(['task', 'delete', String(id)]);
          return id;
        },
        { gone: true },
      );
      await house.ok(['task', 'delete', String(task)]);
      const before = board.seen.length;
      const elsewhere = await openServices(house.env, house.directory);
      await elsewhere.call('task.create', { directory: house.work, prompt: 'y', draft: true });
      await elsewhere.close();
      await vi.waitFor(() => expect(told(board).slice(before)).toContainEqual({ event: 'reset', topic: 'board' }), 5_000);
    } finally {
      await Promise.all([board.stop(), questions.stop()]);
    }
  });
});
