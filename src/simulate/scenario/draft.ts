import type { AnswerPlan, PartPlan, Turn } from './scenario.ts';
import { BadStep, type Step } from './step-words.ts';

/** Collects steps into answers and answers into turns. */
export interface Draft {
  add(step: Step, line: number): void;
  /** The finished turns; throws BadStep if a group is still open. */
  end(): readonly Turn[];
}

type Growing<T> = { -readonly [Key in keyof T]: T[Key] extends readonly (infer Item)[] ? Item[] : T[Key] };
type AnswerDraft = Growing<AnswerPlan>;

const LAST_WORDS = 'Done.';

/**
 * Texts and thoughts belong to the answer of the deed after them. A deed ends its answer, unless several are grouped by `together`.
 * So an answer without a deed is the last of its turn, as with a real model.
 */
export function draftTurns(): Draft {
  const turns: Growing<Turn>[] = [{ answers: [] }];
  let answer: AnswerDraft | undefined;
  let together = false;
  const turn = (): Growing<Turn> => turns.at(-1) as Growing<Turn>;
  const growing = (line: number): AnswerDraft => {
    if (!answer && turn().answers.at(-1)?.parts.some(isDeed) === false)
      throw new BadStep('a step after the last answer of its turn', '`turn` before it');
    answer ??= { line, parts: [], faults: [], stop: 'end', paceMs: 0, isGated: false };
    return answer;
  };
  const close = (): void => {
    if (answer) turn().answers.push(answer);
    answer = undefined;
  };
  const marks: Readonly<Record<string, (line: number) => void>> = {
    empty: (line) => {
      growing(line);
      close();
    },
    together: () => {
      if (together) throw new BadStep('together', '`end` first: what is done together is open');
      together = true;
    },
    end: () => {
      if (!together || !answer?.parts.some(isDeed)) throw new BadStep('end', '`together` and a deed before it');
      together = false;
      close();
    },
    repeat: () => {
      if (answer || together || turn().repeatFrom !== undefined) throw new BadStep('repeat', 'it once in a turn, after a deed');
      turn().repeatFrom = turn().answers.length;
    },
    turn: () => {
      finish();
      turns.push({ answers: [] });
    },
  };
  const finish = (): void => {
    if (together) throw new BadStep('', '`end` after what is done together');
    close();
    settle(turn());
  };
  return {
    add: (step, line) => {
      if (step.adds === 'mark') return marks[step.mark]?.(line);
      const plan = growing(line);
      if (step.adds === 'part') plan.parts.push(step.part);
      if (step.adds === 'fault') plan.faults.push(step.fault);
      if (step.adds === 'trait') Object.assign(plan, step.trait);
      if (step.adds === 'stop') plan.stop = step.stop;
      if (step.adds === 'stop' || (step.adds === 'part' && isDeed(step.part) && !together)) close();
    },
    end: () => {
      finish();
      return turns;
    },
  };
}

const isDeed = (part: PartPlan): boolean => part.do !== 'say' && part.do !== 'think';

/** Adds the last answer of a turn, without tool calls, if the scenario has none. */
function settle(turn: Growing<Turn>): void {
  const { answers, repeatFrom } = turn;
  if (repeatFrom !== undefined) {
    const isEndless = answers.length > repeatFrom && answers.slice(repeatFrom).every(({ parts }) => parts.some(isDeed));
    if (!isEndless) throw new BadStep('repeat', 'a deed after it, and no last words');
    return;
  }
  const last = answers.at(-1);
  if (!last || last.parts.some(isDeed))
    answers.push({ line: last?.line ?? 1, parts: [done], faults: [], stop: 'end', paceMs: 0, isGated: false });
  else if (last.parts.length === 0 && last.faults.length > 0) answers[answers.length - 1] = { ...last, parts: [done] };
}

const done = { do: 'say', text: LAST_WORDS } as const;
