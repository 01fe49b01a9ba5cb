import { Fault } from '../domain/fault.ts';
import { answered, type Question } from '../domain/question/question.ts';
import { transition } from '../domain/task/transition.ts';
import type { Write } from '../store/port.ts';
import { born, changed } from '../store/records/journal.ts';
import { questionIndex, questions } from '../store/records/questions.ts';
import { tasks } from '../store/records/tasks.ts';
import { findQuestion, findTask } from './find.ts';
import { type Handlers, plan, type Scope } from './scope.ts';

export const questionHandlers: Pick<Handlers, 'question.ask' | 'question.list' | 'question.answer'> = {
  'question.ask': async ({ text, option, task }, scope) => {
    const about = task === undefined ? undefined : await findTask(scope, task);
    const question: Question = {
      id: scope.ids.question(),
      seq: 1,
      ...(about ? { taskId: about.body.id } : {}),
      askedBy: scope.caller.name,
      text,
      options: option,
      state: 'pending',
      createdAt: scope.now,
      updatedAt: scope.now,
    };
    return plan(question, born(questions, question, { by: scope.caller.name, at: scope.now }, { what: 'asked' }));
  },

  'question.list': async ({ all, task, limit, cursor }, scope) => {
    const about = task === undefined ? undefined : (await findTask(scope, task)).body.id;
    const index = about ? questionIndex.task(about) : all ? questionIndex.all : questionIndex.pending;
    // One more than asked tells whether there is a next page.
    const hits = await scope.reads.scan({ index, limit: limit + 1, ...(cursor === undefined ? {} : { from: `${cursor} ` }) });
    const items = hits.slice(0, limit).map(questions.read);
    const last = hits.length > limit ? hits[limit - 1]?.sort : undefined;
    return plan({ items: all ? items : items.filter(({ state }) => state === 'pending'), ...(last ? { cursor: last } : {}) });
  },

  'question.answer': async ({ id, text }, scope) => {
    const seen = await findQuestion(scope, id);
    const chosen = chosenFrom(seen.body.options, text);
    const author = { by: scope.caller.name, at: scope.now };
    const next = answered(seen.body, chosen, author.by, author.at);
    const change = changed(questions, seen, next, { author, note: { what: 'answered', why: chosen } });
    return plan({ ...next, seq: next.seq + 1 }, [...change, ...(await goesOn(next, scope))]);
  },
};

/** A number picks an option; any other text is an answer in one's own words. */
function chosenFrom(options: readonly string[], text: string): string {
  if (options.length === 0 || !/^\d+$/.test(text.trim())) return text;
  const option = options[Number(text) - 1];
  if (option === undefined)
    throw new Fault('invalid', `there is no option ${text.trim()}: choose 1 to ${options.length}, or answer in words`);
  return option;
}

/** The task that stood still for this answer. */
async function goesOn(question: Question, scope: Scope): Promise<Write[]> {
  const seen = question.taskId ? await tasks.get(scope.reads, question.taskId) : undefined;
  if (seen?.body.phase.state !== 'blocked') return [];
  const { block } = seen.body.phase;
  if (block.cause !== 'question' || block.questionId !== question.id) return [];
  const next = transition(seen.body, { type: 'unblock', at: scope.now });
  const note = { what: 'unblock', from: 'blocked', to: next.phase.state, why: `question ${question.id} was answered` };
  return changed(tasks, seen, next, { author: { by: scope.caller.name, at: scope.now }, note });
}
