import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asAgentEvent } from '../agent-event.ts';
import type { Executor, Job, Step } from '../executor.ts';
import { launchConformance, plainJob } from './launch-conformance.ts';
import { anyLine, UNKNOWN_LINES } from './lines.ts';
import { frozen, purely, throughJson } from './purely.ts';
import { type Transcript, transcriptsIn } from './transcripts.ts';

export interface Member {
  readonly executor: Executor;
  /** The folder of what its program really printed. */
  readonly transcripts: URL;
  /** Lines that mean nothing to it; for one that takes every line as speech there are none. */
  readonly unknown?: readonly string[];
}

const largestStateBytes = 64 * 1024;
const message = { n: 7, text: 'two\nlines, "quotes" and 🚀\u2028' };

/** What every executor keeps, whatever it launches. */
export function executorConformance({ executor, transcripts, unknown = UNKNOWN_LINES }: Member): void {
  const recorded = transcriptsIn(transcripts);
  describe(`executor ${executor.name}`, () => {
    launchConformance(executor);

    it('has transcripts', () => expect(recorded.length).toBeGreaterThan(0));

    for (const transcript of recorded) {
      it(`replays ${transcript.name} to what is expected of it [EXEC-02]`, () => {
        expect(purely(() => replayed(executor, transcript))).toBe(transcript.expected);
      });
    }

    it('changes nothing on a line it does not know [EXEC-02]', () => {
      const { state } = executor.begin(jobOf());
      for (const line of unknown) {
        expect(checked(executor, state, line), line.slice(0, 80)).toEqual({ state, events: [], send: [] });
      }
    });

    it('never throws, keeps to our words and keeps its state small, whatever is printed [EXEC-02]', () => {
      const lines = anyLine(recorded.flatMap((transcript) => transcript.lines.slice(0, 200)));
      const begun = executor.begin(jobOf()).state;
      const hundred = fc.array(lines, { minLength: 100, maxLength: 100 });
      fc.assert(
        fc.property(hundred, (printed) => {
          const state = purely(() => printed.reduce((before, line) => checked(executor, before, line).state, begun));
          expect(JSON.stringify(state).length).toBeLessThan(largestStateBytes);
          expect(executor.exit(state, 1).map(asAgentEvent)).toEqual(executor.exit(state, 1));
        }),
        { numRuns: 100 },
      );
    }, 60_000);

    it('takes messages and answers only where its table says so', () => {
      const { state } = executor.begin(jobOf());
      const said = purely(() => twice(() => executor.say(frozen(state), message)));
      if (!executor.can.steer) expect(said).toBeUndefined();
      if (said) expectPlain(executor, said);
      expect(twice(() => executor.answer(frozen(state), 'never-asked', message.text))).toBeUndefined();
    });

    it('answers what was asked once', () => {
      for (const transcript of recorded) answersOnce(executor, transcript);
    });
  });
}

const jobOf = (prompt = plainJob.prompt): Job => frozen({ ...plainJob, prompt });

/** What follows from a transcript, one JSON value per line: events as they are, lines to send under `send`. */
function replayed(executor: Executor, { lines, prompt }: Transcript): string {
  const begun = twice(() => executor.begin(jobOf(prompt)));
  const told = outcomeOf(begun);
  let state = throughJson(begun.state);
  for (const line of lines) {
    const next = checked(executor, state, line);
    told.push(...outcomeOf(next));
    state = throughJson(next.state);
  }
  return told.map((value) => `${JSON.stringify(value)}\n`).join('');
}

const outcomeOf = ({ events, send }: Step): unknown[] => [...events, ...send.map((line) => ({ send: line }))];

/** One step, tried twice, with everything about it checked. */
function checked(executor: Executor, state: unknown, line: string): Step {
  const next = twice(() => executor.step(frozen(state), line));
  expectPlain(executor, next);
  return next;
}

/** Without `expect` unless something is wrong: this runs for every line. */
function expectPlain({ can }: Executor, step: Step): void {
  sameOrFail(throughJson(step), step);
  sameOrFail(step.events.map(asAgentEvent), step.events);
  const forbidden = step.events.filter(({ type }) => (type === 'asked' && !can.ask) || (type === 'spent' && !can.usage));
  sameOrFail(forbidden, []);
  sameOrFail(
    step.send.filter((line) => /[\n\r]/.test(line)),
    [],
  );
}

function sameOrFail(seen: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(seen, expected)) expect(seen).toEqual(expected);
}

function twice<T>(work: () => T): T {
  const first = work();
  sameOrFail(work(), first);
  return first;
}

function answersOnce(executor: Executor, { lines, prompt }: Transcript): void {
  let { state } = executor.begin(jobOf(prompt));
  for (const line of lines) {
    const next = executor.step(state, line);
    state = next.state;
    for (const event of next.events.filter(({ type }) => type === 'asked')) {
      if (event.type !== 'asked') continue;
      const answered = twice(() => executor.answer(frozen(state), event.request, message.text));
      expect(answered?.send.length, 'an answer is sent to the agent').toBeGreaterThan(0);
      if (!answered) continue;
      expectPlain(executor, answered);
      expect(executor.answer(answered.state, event.request, 'again')).toBeUndefined();
      state = answered.state;
    }
  }
}
