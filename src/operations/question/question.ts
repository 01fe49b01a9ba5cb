import { Fault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import {
  answeredQuestion,
  isSameText,
  type Question,
  questionBlock,
  withdrawnQuestion,
  withReplyMessage,
} from '../../domain/question/question.ts';
import { isFinal, type Task } from '../../domain/task/task.ts';
import { transition } from '../../domain/task/transition.ts';
import type { RunId } from '../../domain/values.ts';
import type { Write } from '../../store/port.ts';
import { heardAnswer, isPending, questionsOf } from '../../store/queries/questions.ts';
import { changeWrites, creationWrites } from '../../store/records/journal.ts';
import { questionIndex, questions } from '../../store/records/questions.ts';
import type { Versioned } from '../../store/records/record.ts';
import { runIndex, runs } from '../../store/records/runs.ts';
import { tasks } from '../../store/records/tasks.ts';
import { assertWithinBounds } from '../bounds.ts';
import { findQuestion, findTask } from '../find.ts';
import { assertOwn, type OwnRun, ownRun } from '../run/own-run.ts';
import { type Handlers, plan, type Scope } from '../scope.ts';

type Questions = 'question.ask' | 'question.list' | 'question.show' | 'question.answer' | 'question.withdraw';

export const questionHandlers: Pick<Handlers, Questions> = {
  'question.ask': async ({ text, option, task }, scope) => {
    const own = scope.caller.run ? await ownRun(scope) : undefined;
    if (own) assertOwn(task, own.task.body.id);
    const about = own?.task ?? (task === undefined ? undefined : await findTask(scope, task));
    const before = about ? await askedBefore(about.body, text, scope) : undefined;
    if (about && before) return plan(before.body, own ? askedAgain(own, before, scope) : []);
    const question: Question = {
      id: scope.ids.question(),
      seq: 1,
      ...(about ? { taskId: about.body.id } : {}),
      ...(own ? { runId: own.run.body.id } : {}),
      askedBy: own ? `${own.run.body.executor} ${own.run.body.id}` : scope.caller.name,
      askerId: scope.caller.id,
      text,
      options: option,
      state: 'pending',
      createdAt: scope.now,
      updatedAt: scope.now,
    };
    const author = { by: scope.caller.name, at: scope.now };
    const writes = creationWrites(questions, question, author, { what: 'asked' });
    // The task is changed too: of two who ask the same at the same moment, one finds the question of the other.
    const note = { what: 'asked', why: text.slice(0, LIMITS.excerptCharacters.value), data: { question: question.id } };
    return plan(question, [
      ...writes,
      ...(about ? changeWrites(tasks, about, { ...about.body, updatedAt: scope.now }, { author, note }) : []),
    ]);
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

  'question.show': async ({ id }, scope) => plan((await findQuestion(scope, id)).body),

  'question.answer': async ({ id, text }, scope) => {
    const seen = await findQuestion(scope, id);
    const chosen = chosenFrom(seen.body.options, text);
    await assertAskerWithinBounds(seen.body, scope);
    const author = { by: scope.caller.name, at: scope.now };
    const next = answeredQuestion(seen.body, chosen, author.by, author.at);
    const change = changeWrites(questions, seen, next, { author, note: { what: 'answered', why: chosen } });
    return plan({ ...next, seq: next.seq + 1 }, [...change, ...(await goesOn(next, scope))]);
  },

  'question.withdraw': async ({ id, why }, scope) => {
    const own = scope.caller.run ? await ownRun(scope) : undefined;
    const seen = await findQuestion(scope, id);
    if (own && seen.body.runId !== own.run.body.id)
      throw new Fault('forbidden', `question ${seen.body.id} was asked by somebody else: only people withdraw it`);
    if (!own) await assertAskerWithinBounds(seen.body, scope);
    const author = { by: scope.caller.name, at: scope.now };
    const next = withdrawnQuestion(seen.body, { ...author, why });
    const change = changeWrites(questions, seen, next, { author, note: { what: 'withdrawn', ...(why ? { why } : {}) } });
    // Whoever withdraws its own need not be told.
    return plan({ ...next, seq: next.seq + 1 }, [...change, ...(own ? [] : await goesOn(next, scope))]);
  },
};

/** Asking the same again is asking once, whichever run of the task asks; also when it has been answered since. */
async function askedBefore(task: Task, text: string, { reads }: Scope): Promise<Versioned<Question> | undefined> {
  if (isFinal(task.phase))
    throw new Fault('conflict', `task ${task.id} is ${task.phase.state}: nobody is left to hear an answer`);
  const asked = await questionsOf(reads, task.id);
  const same = asked.find(({ body }) => body.state !== 'withdrawn' && !body.permission && isSameText(body.text, text));
  if (same) return same;
  const open = asked.filter(isPending).length;
  if (open >= LIMITS.openQuestions.value)
    throw new Fault('limit', `task ${task.id} has ${open} questions that wait for an answer, the most a task may have`);
  return undefined;
}

/** A task that stood still for its question goes on. */
async function assertAskerWithinBounds({ taskId }: Question, scope: Scope): Promise<void> {
  const asker = taskId && (await tasks.get(scope.reads, taskId));
  if (asker) await assertWithinBounds(asker.body, scope);
}

/** Who asks again and gets the answer has heard it; who gets none waits for it as the run before it did. */
function askedAgain({ run, task }: OwnRun, before: Versioned<Question>, { caller, now }: Scope): Write[] {
  const { id, answer, runId } = before.body;
  const author = { by: caller.name, at: now };
  if (answer === undefined) {
    if (runId === run.body.id) return [];
    const asker = { runId: run.body.id, askedBy: `${run.body.executor} ${run.body.id}`, updatedAt: now };
    const note = { what: 'asked again', data: { question: id } };
    return [
      ...changeWrites(questions, before, { ...before.body, ...asker }, { author, note: { what: 'asked again' } }),
      ...changeWrites(tasks, task, { ...task.body, updatedAt: now }, { author, note }),
    ];
  }
  if (!task.body.messages.some(({ answers, state }) => answers === id && state !== 'heard')) return [];
  return changeWrites(tasks, task, heardAnswer(task.body, id), { author, note: { what: 'heard', data: { question: id } } });
}

/** A number picks an option; any other text is an answer in one's own words. */
function chosenFrom(options: readonly string[], text: string): string {
  if (options.length === 0 || !/^\d+$/.test(text.trim())) return text;
  const option = options[Number(text) - 1];
  if (option === undefined)
    throw new Fault('invalid', `there is no option ${text.trim()}: choose 1 to ${options.length}, or answer in words`);
  return option;
}

/**
 * The reply is put before the agent of the task: while it runs as a message, otherwise in its next prompt. A task that
 * stood still for it goes on where its agent stopped, unless it stands still for another as well.
 */
async function goesOn(question: Question, scope: Scope): Promise<Write[]> {
  const seen = question.taskId ? await tasks.get(scope.reads, question.taskId) : undefined;
  if (!seen || isFinal(seen.body.phase) || (await isPassedOnByRun(question, scope))) return [];
  const task = withReplyMessage(seen.body, question);
  const author = { by: scope.caller.name, at: scope.now };
  const { phase } = task;
  const note = { what: 'told', why: `question ${question.id} was ${question.state}` };
  if (phase.state !== 'blocked' || phase.block.cause !== 'question' || phase.block.questionId !== question.id)
    return changeWrites(tasks, seen, task, { author, note });
  const other = (await questionsOf(scope.reads, task.id)).find((one) => isPending(one) && one.body.id !== question.id);
  if (other) {
    const next: Task = { ...task, phase: { ...phase, block: questionBlock(other.body) } };
    return changeWrites(tasks, seen, next, { author, note });
  }
  const [newest] = await scope.reads.scan({ index: runIndex.agents(task.id), limit: 1, reverse: true });
  const continued = { ...task, ...(newest ? { continues: newest.key.id as RunId } : {}) };
  const next = transition(continued, { type: 'unblock', at: scope.now });
  return changeWrites(tasks, seen, next, { author, note: { ...note, what: 'unblock', from: 'blocked', to: next.phase.state } });
}

/** An agent that asked in its own way and still waits gets the answer in its own way too. */
async function isPassedOnByRun({ id, runId }: Question, { reads }: Scope): Promise<boolean> {
  const run = runId && (await runs.get(reads, runId))?.body;
  return (
    run !== undefined && run.phase.state !== 'ended' && (run.watch?.asks.some(({ questionId }) => questionId === id) ?? false)
  );
}
