import type { AnswerPlan, PartPlan, ScenarioTurn } from './scenario.ts';
import { BadModelStep, type ModelScenarioStep } from './step-words.ts';

/** Collects steps into answers and answers into turns. */
export interface Draft {
  add(step: ModelScenarioStep, line: number): void;
  /** The finished turns; throws BadStep if a group is still open. */
  end(): readonly ScenarioTurn[];
}

type Growing<T> = { -readonly [Key in keyof T]: T[Key] extends readonly (infer Item)[] ? Item[] : T[Key] };
type AnswerDraft = Growing<AnswerPlan>;

const LAST_WORDS = 'Done.';

/**
 * Texts and thoughts belong to the answer of the deed after them. A deed ends its answer, unless several are grouped by `together`.
 * So an answer without a deed is the last of its turn, as with a real model.
 */
export function draftTurns(): Draft {
  const turns: Growing<ScenarioTurn>[] = [{ answers: [] }];
  let answer: AnswerDraft | undefined;
  let together = false;
  const turn = (): Growing<ScenarioTurn> => turns.at(-1) as Growing<ScenarioTurn>;
  const growing = (line: number): AnswerDraft => {
    if (!answer && turn().answers.at(-1)?.parts.some(isDeed) === false)
      throw new BadModelStep('a step after the last answer of its turn', '`turn` before it');
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
      if (together) throw new BadModelStep('together', '`end` first: what is done together is open');
      together = true;
    },
    end: () => {
      if (!together || !answer?.parts.some(isDeed)) throw new BadModelStep('end', '`together` and a deed before it');
      together = false;
      close();
    },
    repeat: () => {
      if (answer || together || turn().repeatFrom !== undefined)
        throw new BadModelStep('repeat', 'it once in a turn, after a deed');
      turn().repeatFrom = turn().answers.length;
    },
    turn: () => {
      finish();
      turns.push({ answers: [] });
    },
  };
  const finish = (): void => {
    if (together) throw new BadModelStep('', '`end` after what is done together');
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
function settle(turn: Growing<ScenarioTurn>): void {
  const { answers, repeatFrom } = turn;
  if (repeatFrom !== undefined) {
    const isEndless = answers.length > repeatFrom && answers.slice(repeatFrom).every(({ parts }) => parts.some(isDeed));
    if (!isEndless) throw new BadModelStep('repeat', 'a deed after it, and no last words');
    return;
  }
  const last = answers.at(-1);
  if (!last || last.parts.some(isDeed))
    answers.push({ line: last?.line ?? 1, parts: [done], faults: [], stop: 'end', paceMs: 0, isGated: false });
  else if (last.parts.length === 0 && last.faults.length > 0) answers[answers.length - 1] = { ...last, parts: [done] };
}

const done = { do: 'say', text: LAST_WORDS } as const;
