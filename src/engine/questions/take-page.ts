import { isFault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import { parseQuestionPage, type QuestionPage, questionPageText, type WrittenQuestion } from '../../domain/question/page.ts';
import type { RunId, TaskId } from '../../domain/values.ts';
import { questionsOf } from '../../store/queries/questions.ts';
import type { QuestionDeps } from './deps.ts';

export interface About {
  readonly taskId: TaskId;
  /** The run that works on it now. */
  readonly runId?: RunId | undefined;
  /** Nobody is in the middle of writing it: what stands there may be taken. */
  readonly isFinal: boolean;
  /** Questions about it wait for an answer. */
  readonly hasOpen: boolean;
}

/**
 * Takes what was written onto the page into the store and puts what is in the store onto the page. Cut off anywhere, it is
 * done again: the same words are the same question, and of two answers the first counts.
 */
export async function takePage({ taskId, runId, isFinal, hasOpen }: About, needs: QuestionDeps): Promise<boolean> {
  const text = await needs.pages.read(taskId);
  if (text === undefined) return false;
  const page = parseQuestionPage(text);
  // Mostly there is nothing: that takes no look into the store.
  if (page.sections.length === 0 && !hasOpen) return false;
  const ids = new Map<WrittenQuestion, string>();
  if (isFinal) {
    for (const { written } of page.sections) if (written) await ask(written, { taskId, runId, ids }, needs);
    await answers(page, taskId, needs);
  }
  const known = (await questionsOf(needs.store, taskId, LIMITS.openQuestions.value)).map(({ body }) => body).reverse();
  if (known.length === 0) return false;
  const next = questionPageText(page, known, ids);
  return next !== text && needs.pages.replace(taskId, text, next);
}

interface Asking {
  readonly taskId: TaskId;
  readonly runId?: RunId | undefined;
  readonly ids: Map<WrittenQuestion, string>;
}

async function ask(written: WrittenQuestion, { taskId, runId, ids }: Asking, needs: QuestionDeps): Promise<void> {
  try {
    ids.set(written, await needs.ask(written, { taskId, runId }));
  } catch (error) {
    // Too many, too long, or its run has just ended: it stays on the page, for people to read.
    if (!isFault(error)) throw error;
    needs.log('question.untaken', { task: taskId, why: error.message });
  }
}

async function answers(page: QuestionPage, taskId: TaskId, needs: QuestionDeps): Promise<void> {
  const given = page.sections.filter(({ id, answer }) => id !== undefined && answer !== undefined);
  if (given.length === 0) return;
  const open = (await questionsOf(needs.store, taskId)).map(({ body }) => body).filter(({ state }) => state === 'pending');
  for (const { id, answer = '' } of given) {
    // An agent can write here: what it asks to be allowed is answered where it cannot.
    const question = open.find((one) => one.id === id && !one.permission);
    if (!question) continue;
    try {
      await needs.answer(question.id, answer);
    } catch (error) {
      if (!isFault(error)) throw error;
      needs.log('answer.untaken', { question: question.id, why: error.message });
    }
  }
}
