import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { engineHouse } from '../../../test/support/engine-house.ts';
import type { AgentEvent, Executor } from '../../domain/agent/executor.ts';
import type { Instant, QuestionId } from '../../domain/values.ts';
import { questionIndex, questions } from '../../store/records/questions.ts';
import { runIndex, runs } from '../../store/records/runs.ts';
import { takeTurn } from '../controller.ts';
import { dispatch } from '../dispatch.ts';
import type { OutputSlice, RunState, SuperviseDeps } from './deps.ts';
import { type Ingested, ingest, newWatch } from './ingest.ts';
import { supervise } from './supervise.ts';

const AT = '2030-01-01T12:00:00.000Z' as Instant;

/** An agent whose lines are events themselves; its state is how many it has printed. */
const plain: Executor = {
  name: 'claude',
  can: { resume: false, fork: false, steer: false, ask: true, usage: true, context: true, mcp: false, tools: false },
  launch: () => ({ command: 'x', args: [], env: {}, files: [], mode: 'oneway' }),
  begin: () => ({ state: 0, events: [], send: [] }),
  step: (state, line) => ({
    state: Number(state) + 1,
    events: line === '' ? [] : [JSON.parse(line) as AgentEvent],
    send: line.includes('"asked"') ? ['got it'] : [],
  }),
  say: () => undefined,
  answer: () => undefined,
  exit: () => [],
};

const word = fc.constantFrom('a', 'b', 'c');
const event: fc.Arbitrary<AgentEvent> = fc.oneof(
  fc.record({ type: fc.constant('said' as const), text: fc.string() }),
  fc.record({ type: fc.constant('tool' as const), id: word, name: word }),
  fc.record({ type: fc.constant('tool-done' as const), id: word, ok: fc.boolean() }),
  fc.record({
    type: fc.constant('spent' as const),
    inputTokens: fc.nat(),
    outputTokens: fc.nat(),
    costUsd: fc.constantFrom(0, 0.5),
  }),
  fc.record({ type: fc.constant('limited' as const), until: fc.constant(AT) }),
  fc.record({ type: fc.constant('opened' as const), session: word }),
  fc.record({ type: fc.constant('heard' as const), n: fc.nat() }),
  fc.record({ type: fc.constant('reported' as const), report: word }),
  fc.record({
    type: fc.constant('ended' as const),
    verdict: fc.constantFrom('succeeded' as const, 'errored' as const),
    summary: word,
  }),
  fc.record({
    type: fc.constant('asked' as const),
    request: fc.string(),
    kind: fc.constant('question' as const),
    text: word,
    options: fc.array(word),
  }),
);

describe('what a run takes', () => {
  const lines = (...events: AgentEvent[]): OutputSlice => ({
    lines: events.map((one) => ({ text: JSON.stringify(one) })),
    cursor: { offset: 400, skipping: false },
    dropped: 0,
    more: false,
  });
  const spent = (more: Partial<Extract<AgentEvent, { type: 'spent' }>>): AgentEvent => ({
    type: 'spent',
    inputTokens: 1_000_000,
    outputTokens: 0,
    ...more,
  });
  const means = {
    questionId: () => 'question_1' as QuestionId,
    at: AT,
    price: (model: string | undefined) => (model === 'known' ? { input: 2, output: 10, cached: 0.2 } : undefined),
  };
  const first = newWatch({ state: 0, events: [], send: [] }, AT);

  it('is kept for each turn, and its price is looked up when it does not say one [RUN-08]', () => {
    const { watch } = ingest(
      first,
      plain,
      lines(spent({ costUsd: 1 }), spent({ model: 'known' }), spent({ model: 'other' })),
      means,
    );
    expect(watch.usage).toEqual({
      inputTokens: 3_000_000,
      outputTokens: 0,
      cachedTokens: 0,
      costUsd: 3,
      listUsd: 2,
      unpriced: 1,
    });
    expect(watch.turns?.spent?.map(({ costUsd, model }) => [costUsd, model])).toEqual([
      [1, undefined],
      [2, 'known'],
      [undefined, 'other'],
    ]);
  });

  it('is kept for the newest turns only, and counted for all', () => {
    const many = Array.from({ length: 200 }, (_, n) => spent({ outputTokens: n }));
    const { watch } = ingest(first, plain, lines(...many), means);
    expect(watch.turns).toMatchObject({ count: 200 });
    expect(watch.turns?.spent).toHaveLength(64);
    expect(watch.turns?.spent?.at(-1)?.outputTokens).toBe(199);
  });

  it('fills a window: as it says, as large as its executor knows, or by an estimate that says so [RUN-06]', () => {
    const says = lines({ type: 'context', tokens: 50 });
    expect(ingest(first, plain, says, means).watch.context).toEqual({ tokens: 50 });
    expect(ingest(first, { ...plain, contextLimit: 200 }, says, means).watch.context).toEqual({ tokens: 50, limit: 200 });
    const whole = lines({ type: 'context', tokens: 50, limit: 60 });
    expect(ingest(first, { ...plain, contextLimit: 200 }, whole, means).watch.context).toEqual({ tokens: 50, limit: 60 });
    const silent: Executor = { ...plain, can: { ...plain.can, context: false }, contextLimit: 200 };
    expect(ingest(first, silent, lines(), means).watch.context).toEqual({ tokens: 100, limit: 200, estimate: true });
    expect(ingest(first, { ...plain, contextLimit: 200 }, lines(), means).watch.context).toBeUndefined();
  });
});

describe('reading lines into what is known of a run', () => {
  it('comes to the same however the lines are portioned, and changes nothing it was given', () => {
    const lines = fc.array(
      fc.option(event).map((one) => (one ? JSON.stringify(one) : '')),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(lines, fc.array(fc.nat(60), { maxLength: 6 }), (texts, cuts) => {
        const at = [0, ...cuts.filter((cut) => cut <= texts.length).toSorted((a, b) => a - b), texts.length];
        const whole = readIn([texts]);
        const parts = readIn(at.slice(1).map((end, n) => texts.slice(at[n], end)));
        expect(parts).toEqual(whole);
        expect(whole.watch.lines).toBe(texts.length);
      }),
      { numRuns: 300 },
    );
  });
});

function readIn(portions: readonly (readonly string[])[]): Ingested {
  let [asked, offset] = [0, 0];
  let all: Ingested = { watch: newWatch(plain.begin({} as never), AT), asks: [], heard: [], turnOver: false };
  for (const texts of portions) {
    offset += texts.length;
    const slice: OutputSlice = {
      lines: texts.map((text) => ({ text })),
      cursor: { offset, skipping: false },
      dropped: 1,
      more: false,
    };
    const before = structuredClone(all.watch);
    const next = ingest(
      all.watch,
      plain,
      { ...slice, dropped: texts.length },
      { questionId: () => `question_${(asked += 1)}` as QuestionId, at: AT },
    );
    expect(all.watch).toEqual(before);
    all = {
      watch: next.watch,
      asks: [...all.asks, ...next.asks],
      heard: [...all.heard, ...next.heard],
      turnOver: all.turnOver || next.turnOver,
    };
  }
  return all;
}

/** A house with one run whose agent prints what `print` says; each look at the clock takes a millisecond. */
async function house() {
  const made = engineHouse();
  const printed: string[] = [];
  let [commits, clock] = [0, 0];
  const look = (): RunState => ({
    state: 'alive',
    identity: { boot: 'b', shim: { pid: 1, started: '1' }, agent: { pid: 2, started: '1' } },
    listens: false,
    outBytes: printed.length,
    errBytes: 0,
  });
  const perRead = 5;
  const needs = {
    ...made.needs,
    store: {
      limits: made.store.limits,
      get: made.store.get.bind(made.store),
      scan: made.store.scan.bind(made.store),
      commit: (...args: Parameters<typeof made.store.commit>) => {
        commits += 1;
        return made.store.commit(...args);
      },
    },
    elapsed: () => (clock += 1),
    question: made.ids.question,
    saveTurn: () => undefined,
    runner: {
      look: async () => look(),
      read: async (_id: string, { offset }: { offset: number }): Promise<OutputSlice> => {
        const lines = printed.slice(offset, offset + perRead).map((text) => ({ text }));
        const end = offset + lines.length;
        return { lines, cursor: { offset: end, skipping: false }, dropped: 0, more: end < printed.length };
      },
      isThere: () => true,
      // None of them gives hints: each is looked at in every turn.
      follow: (runIds: readonly string[]) => runIds,
      crowded: async () => new Map(),
      ticks: async () => new Map(),
      send: async () => undefined,
    },
    executor: async () => plain,
    price: () => undefined,
    job: async () => ({}),
    rules: () => ({ stallMs: 1e9, spoolBytes: 1e9, processes: 1e9 }),
    log: () => undefined,
  } as unknown as SuperviseDeps;
  await made.call('task.create', { directory: '/plain', prompt: 'x' });
  await takeTurn(dispatch(made.needs));
  const controller = supervise(needs);
  await takeTurn(controller);
  await takeTurn(controller);
  const row = async () => {
    const [hit] = await made.store.scan({ index: runIndex.live('here'), limit: 1 });
    return hit && runs.read(hit).watch;
  };
  return {
    print: (...events: AgentEvent[]) => void printed.push(...events.map((one) => JSON.stringify(one))),
    pass: (ms: number) => void (clock += ms),
    /** Turns until there is nothing to do at once; answers how many commits that took. */
    turns: async () => {
      const before = commits;
      let turn = await takeTurn(controller);
      while (turn.acted > 0) turn = await takeTurn(controller);
      return { commits: commits - before, dueInMs: turn.dueInMs };
    },
    row,
    asked: async () => (await made.store.scan({ index: questionIndex.pending, limit: 9 })).map(questions.read),
  };
}

const said = (text: string): AgentEvent => ({ type: 'said', text });

describe('what a run prints', () => {
  it('is written down at most four times a second, however much it is, and nothing of it is lost', async () => {
    const { print, pass, turns, row } = await house();
    pass(1_000);
    print(said('first'));
    expect(await turns()).toMatchObject({ commits: 1 });
    for (let n = 0; n < 20; n += 1) {
      print(said(`word ${n}`));
      expect((await turns()).commits).toBe(0);
    }
    expect(await row()).toMatchObject({ lastWords: 'first', lines: 1 });
    expect((await turns()).dueInMs).toBe(250);
    pass(250);
    expect((await turns()).commits).toBe(1);
    expect(await row()).toMatchObject({ lastWords: 'word 19', lines: 21, events: 21, offset: 21 });
    expect((await turns()).dueInMs).toBeGreaterThan(250);
    pass(250);
    print(...Array.from({ length: 1_000 }, (_, n) => said(`flood ${n}`)));
    const { commits } = await turns();
    pass(250);
    // Each reading of the clock took a millisecond: a thousand lines in portions of five, under half a second in all.
    expect(commits + (await turns()).commits).toBeLessThanOrEqual(5);
    expect(await row()).toMatchObject({ lastWords: 'flood 999', lines: 1_021, offset: 1_021 });
  });

  it('is read on past the ends of turns, and what each took is counted', async () => {
    const { print, pass, turns, row } = await house();
    pass(1_000);
    print(...Array.from({ length: 1_000 }, (): AgentEvent => ({ type: 'spent', inputTokens: 2, outputTokens: 1 })));
    const { commits } = await turns();
    // In portions of five lines that would be two hundred.
    expect(commits).toBeLessThan(40);
    expect(await row()).toMatchObject({ usage: { inputTokens: 2_000, outputTokens: 1_000 }, turns: { count: 1_000 } });
  });

  it.each([
    ['a question', { type: 'asked', request: 'r', kind: 'question', text: 'which?', options: [] }],
    ['a report', { type: 'reported', report: { done: true } }],
    ['a limit', { type: 'limited' }],
    ['an end', { type: 'ended', verdict: 'succeeded', summary: 'all of it' }],
  ] as const)('is written down at once when it holds %s', async (_what, happened) => {
    const { print, pass, turns, row, asked } = await house();
    pass(1_000);
    print(said('first'));
    await turns();
    print(said('before'), happened as AgentEvent);
    expect((await turns()).commits).toBeGreaterThan(0);
    expect(await row()).toMatchObject({ lines: 3, lastWords: 'before' });
    expect(await asked()).toHaveLength(happened.type === 'asked' ? 1 : 0);
  });
});
