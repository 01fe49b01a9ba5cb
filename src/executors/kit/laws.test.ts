import { describe, expect, it } from 'vitest';
import type { Executor, Step } from '../executor.ts';
import { lawsOf } from './laws.ts';

const good: Executor = {
  name: 'good',
  can: { resume: true, fork: true, steer: true, ask: true, usage: true, context: false, mcp: false, tools: false },
  launch: ({ promptFile, resume, fork }) => ({
    command: 'good',
    args: [promptFile, ...(resume === undefined ? [] : [fork ? '--copy' : '--go-on', resume])],
    env: {},
    files: [],
    mode: 'twoway',
  }),
  begin: () => ({ state: { asked: [] }, events: [], send: ['hello'] }),
  step: (state, line) => {
    const asked = /^ask (\w{1,8})$/.exec(line)?.[1];
    if (asked === undefined) return { state, events: [], send: [], unknown: true };
    return {
      state: { asked: [asked] },
      events: [{ type: 'asked', request: asked, kind: 'question', text: 'well?', options: [] }],
      send: [],
    };
  },
  say: (state, { text }) => ({ state, events: [], send: [JSON.stringify(text)] }),
  answer: (state, request, text) =>
    (state as { asked: string[] }).asked.includes(request)
      ? { state: { asked: [] }, events: [], send: [JSON.stringify(text)] }
      : undefined,
  exit: () => [],
};

const transcript = {
  name: 'asks',
  lines: ['ask one', 'noise'],
  expected: '{"send":"hello"}\n{"type":"asked","request":"one","kind":"question","text":"well?","options":[]}\n',
};

function brokenBy(executor: Executor): string[] {
  return lawsOf({ executor, transcripts: [transcript] }).flatMap(({ title, check }) => {
    try {
      check();
      return [];
    } catch (error) {
      return [`${title}: ${(error as Error).message}`];
    }
  });
}

const step = (more: Partial<Step>, when = 'noise'): Partial<Executor> => ({
  step: (state, line) => ({ ...good.step(state, line), ...(line === when ? more : {}) }),
});
const launch = (more: object): Partial<Executor> => ({ launch: (job) => ({ ...good.launch(job), ...more }) });

/** A fault, the executor with it, the law that must find it, and a word of the message. */
const MUTANTS: readonly (readonly [string, Partial<Executor>, string, string])[] = [
  ['has no table', { can: {} as Executor['can'] }, 'has a name', 'resume'],
  ['lacks a function', { exit: undefined as unknown as Executor['exit'] }, 'has a name', 'exit'],
  ['reads the clock', { launch: (job) => ({ ...good.launch(job), args: [String(Date.now())] }) }, 'launches', 'Date.now'],
  ['makes a date of now', { launch: (job) => ({ ...good.launch(job), args: [new Date().toISOString()] }) }, 'launches', 'Date'],
  ['rolls dice', { launch: (job) => ({ ...good.launch(job), args: [String(Math.random())] }) }, 'launches', 'Math.random'],
  [
    'reads the environment',
    { launch: (job) => ({ ...good.launch(job), args: [process.env['HOME'] ?? ''] }) },
    'launches',
    'process.env',
  ],
  ['launches nothing', launch({ command: '' }), 'launches', 'command'],
  ['leaves files elsewhere', launch({ files: [{ name: '../x', text: '' }] }), 'launches', '../x'],
  ['hands a key over', launch({ env: { ANTHROPIC_API_KEY: 'x' } }), 'hands over no', 'ANTHROPIC_API_KEY'],
  ['forgets the session', launch({ args: [] }), 'goes on with', 'session'],
  ['overwrites the conversation it copies', launch({ args: ['session-1'] }), 'tells a copy', 'copy'],
  ['sends lines to a one-way agent', launch({ mode: 'oneway' }), 'opens a conversation', 'one-way'],
  ['says something else than recorded', step({ events: [{ type: 'said', text: 'x' }] }), 'replays asks', 'event 3'],
  ['is moved by noise', step({ state: { asked: ['noise'] } }, 'plain words'), 'changes nothing', 'plain words'],
  [
    'throws on JSON',
    { step: (state, line) => (line.startsWith('{') ? (JSON.parse(line) as Step) : good.step(state, line)) },
    'never throws',
    'at the line',
  ],
  ['invents words', step({ events: [{ type: 'cheered' }] as unknown as Step['events'] }), 'replays asks', 'cheered'],
  [
    'hoards lines',
    {
      step: (state, line) => ({
        ...good.step(state, line),
        state: { asked: [`${(state as { asked: string[] }).asked[0] ?? ''}${line}`] },
      }),
    },
    'never throws',
    'bytes',
  ],
  [
    'spends although it cannot',
    { ...step({ events: [{ type: 'spent', inputTokens: 1, outputTokens: 1 }] }), can: { ...good.can, usage: false } },
    'replays asks',
    'can.usage',
  ],
  ['takes messages although it cannot', { can: { ...good.can, steer: false } }, 'takes messages', 'can.steer'],
  [
    'sends two lines',
    { say: (state, { text }) => ({ state, events: [], send: [text] }) },
    'takes messages',
    'more than one line',
  ],
  [
    'answers twice',
    { answer: (state, request) => (request === 'one' ? { state, events: [], send: ['yes'] } : undefined) },
    'answers what was asked once',
    'second answer',
  ],
  ['forgives', { exit: () => [{ type: 'ended', verdict: 'succeeded', summary: '' }] }, 'calls no failed exit', 'exit code 1'],
];

describe('the kit', () => {
  it('accepts a good executor', () => expect(brokenBy(good)).toEqual([]));

  it.each(MUTANTS)('rejects one that %s', (_, wrong, law, word) => {
    const found = brokenBy({ ...good, ...wrong }).filter((text) => text.startsWith(law));
    expect(found.join('\n')).toContain(word);
  });

  it('restores time, chance and environment', () => {
    brokenBy({ ...good, ...launch({ args: [String(Math.random())] }) });
    expect([typeof Date.now(), typeof Math.random(), process.env['PATH']?.length !== 0]).toEqual(['number', 'number', true]);
  });
});
