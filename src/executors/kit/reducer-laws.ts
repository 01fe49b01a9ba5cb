import { asAgentEvent } from '../agent-event.ts';
import type { Executor, Job, Step } from '../executor.ts';
import { plainJob } from './jobs.ts';
import { type ExecutorLaw, LawBroken, must, same, short } from './law.ts';
import { anyLine, UNKNOWN_LINES } from './lines.ts';
import { seededRandom } from './seeded-random.ts';
import type { Transcript } from './transcripts.ts';
import { frozen, throughJson, withoutAmbient } from './without-ambient.ts';

export interface LawSubject {
  readonly executor: Executor;
  /** Recorded output of the real program. */
  readonly transcripts: readonly Transcript[];
  /** Lines without meaning to this executor. */
  readonly unknown?: readonly string[] | undefined;
  /** Seed of the random lines. */
  readonly seed?: number | undefined;
}

const largestStateBytes = 64 * 1024;
const message = { n: 7, text: 'two\nlines, "quotes" and 🚀\u2028' };

/** The laws about reducing lines. */
export const reducerLaws = (member: LawSubject): readonly ExecutorLaw[] => {
  const { executor, transcripts, unknown = UNKNOWN_LINES } = member;
  return [
    ...transcripts.flatMap((transcript) => replayLaw(executor, transcript)),
    {
      title: 'changes nothing on a line it does not know',
      check: () => {
        const { state } = executor.begin(jobOf());
        for (const line of unknown) meansNothing(executor, state, line);
      },
    },
    {
      title: 'never throws, keeps to our words and keeps its state small, whatever is printed',
      check: () => anythingPrinted(member),
    },
    { title: 'takes messages and answers only where its table says so', check: () => saysWhatItCan(executor) },
    {
      title: 'answers what was asked once',
      check: () => {
        for (const transcript of transcripts) answersOnce(executor, transcript);
      },
    },
    {
      title: 'calls no failed exit a success',
      check: () => {
        for (const code of [1, 127, 137]) {
          const events = executor.exit(executor.begin(jobOf()).state, code);
          must(
            !events.some((event) => event.type === 'ended' && event.verdict === 'succeeded'),
            `exit code ${code} is a success`,
          );
        }
      },
    },
  ];
};

const jobOf = ({ prompt = plainJob.prompt, job = {} }: Partial<Transcript> = {}): Job => frozen({ ...plainJob, ...job, prompt });

const replayLaw = (executor: Executor, transcript: Transcript): ExecutorLaw[] =>
  transcript.expected === undefined
    ? []
    : [
        {
          title: `replays ${transcript.name} to what is expected of it`,
          check: () => {
            const [seen, expected] = [replayed(executor, transcript), transcript.expected].map((text) => text?.split('\n') ?? []);
            const at = (seen ?? []).findIndex((line, index) => line !== expected?.[index]);
            const first = at === -1 ? (seen?.length ?? 0) : at;
            must(
              seen?.join('\n') === expected?.join('\n'),
              `event ${first + 1} is ${short(seen?.[first])}, expected ${short(expected?.[first])}`,
            );
          },
        },
      ];

/** The result of a transcript, one JSON value per line: events as they are, lines to send under `send`. */
export function replayed(executor: Executor, transcript: Transcript): string {
  return withoutAmbient(() => {
    const begun = twice(() => executor.begin(jobOf(transcript)), 'begin');
    const results = outcomeOf(begun);
    let state = throughJson(begun.state);
    for (const line of transcript.lines) {
      const next = checked(executor, state, line);
      results.push(...outcomeOf(next));
      state = throughJson(next.state);
    }
    return results.map((value) => `${JSON.stringify(value)}\n`).join('');
  });
}

const outcomeOf = ({ events, send }: Step): unknown[] => [...events, ...send.map((line) => ({ send: line }))];

/** An unknown line changes nothing, except for a program that prints plain text, to which every line is a `said` event. */
function meansNothing(executor: Executor, state: unknown, line: string): void {
  const { unknown: _, ...step } = checked(executor, state, line);
  const speaks = executor.step(frozen(state), 'plain words').events.some(({ type }) => type === 'said');
  const isSpeech = speaks && step.send.length === 0 && step.events.every(({ type }) => type === 'said');
  if (!isSpeech) same(step, { state, events: [], send: [] }, `what follows from ${short(line.slice(0, 80))}`);
}

function anythingPrinted({ executor, transcripts, seed = 1 }: LawSubject): void {
  const begun = executor.begin(jobOf()).state;
  const next = anyLine(
    transcripts.flatMap(({ lines }) => lines.slice(0, 200)),
    seededRandom(seed),
  );
  // Every second round continues the one before the last: a state that grows with lines shows only in a long run.
  let long = begun;
  for (let run = 0; run < 100; run += 1) {
    const state = withoutAmbient(() => {
      let now = run % 2 === 0 ? begun : long;
      for (let at = 0; at < 100; at += 1) now = checked(executor, now, next()).state;
      return now;
    });
    if (run % 2 === 1) long = state;
    const bytes = JSON.stringify(state)?.length ?? 0;
    must(bytes < largestStateBytes, `its state has ${bytes} bytes, expected fewer than ${largestStateBytes}`);
    const said = executor.exit(state, 1);
    same(said.map(asAgentEvent), said, 'what its exit says');
  }
}

function saysWhatItCan(executor: Executor): void {
  const { state } = executor.begin(jobOf());
  const said = withoutAmbient(() => twice(() => executor.say(frozen(state), message), 'say'));
  if (!executor.can.steer) same(said, undefined, 'can.steer is false, and say gives');
  if (said) mustBePlain(executor, said, 'a message');
  same(
    twice(() => executor.answer(frozen(state), 'never-asked', message.text), 'answer'),
    undefined,
    'an answer to what was never asked',
  );
}

function answersOnce(executor: Executor, transcript: Transcript): void {
  let { state } = executor.begin(jobOf(transcript));
  for (const line of transcript.lines) {
    const next = executor.step(state, line);
    state = next.state;
    for (const event of next.events) {
      if (event.type !== 'asked') continue;
      const answered = twice(() => executor.answer(frozen(state), event.request, message.text), 'answer');
      must(answered !== undefined && answered.send.length > 0, `no answer to ${short(event.request)} is sent to the agent`);
      mustBePlain(executor, answered, 'an answer');
      same(executor.answer(answered.state, event.request, 'again'), undefined, 'a second answer to the same request');
      state = answered.state;
    }
  }
}

/** One step, run twice, with its result checked. */
function checked(executor: Executor, state: unknown, line: string): Step {
  try {
    const next = twice(() => executor.step(frozen(state), line), 'step');
    mustBePlain(executor, next, 'a step');
    return next;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new LawBroken(`${why}, at the line ${short(line)} in the state ${short(state)}`, { cause: error });
  }
}

function mustBePlain({ can }: Executor, step: Step, what: string): void {
  same(throughJson(step), step, `${what} is not plain JSON`);
  same(step.events.map(asAgentEvent), step.events, `events of ${what}`);
  for (const { type } of step.events) {
    must(type !== 'asked' || can.ask, 'can.ask is false, and it asks');
    must(type !== 'spent' || can.usage, 'can.usage is false, and it says what it spent');
  }
  same(
    step.send.filter((line) => /[\n\r]/.test(line)),
    [],
    `lines to send of ${what} that are more than one line`,
  );
}

function twice<T>(work: () => T, what: string): T {
  const first = work();
  same(work(), first, `a second ${what} with the same values`);
  return first;
}
