import { z } from 'zod';
import { Fault } from '../fault.ts';
import { LIMITS } from '../limits.ts';
import type { Task } from '../task/task.ts';
import { Instant, LongText, QuestionId, RunId, TaskId, Title } from '../values.ts';

export const Question = z.strictObject({
  id: QuestionId,
  seq: z.int().min(1),
  taskId: TaskId.optional(),
  runId: RunId.optional(),
  askedBy: z.string(),
  /** The id of the caller who asked. */
  askerId: z.string().optional(),
  text: LongText.refine((value) => value.trim() !== '', 'is empty: ask something'),
  options: z.array(Title).max(LIMITS.questionOptions.value),
  /** Whether the question asks for permission. Then nothing that an agent can write counts as the answer. */
  permission: z.boolean().optional(),
  state: z.enum(['pending', 'answered', 'withdrawn']),
  answer: z.strictObject({ text: LongText, by: z.string(), at: Instant }).optional(),
  /** Who withdrew the question, and why. */
  withdrawn: z.strictObject({ by: z.string(), at: Instant, why: LongText.optional() }).optional(),
  createdAt: Instant,
  updatedAt: Instant,
});
export type Question = z.infer<typeof Question>;

/** The question with its answer. Only the first answer counts. */
export function answeredQuestion(question: Question, text: string, by: string, at: Instant): Question {
  assertPending(question);
  return { ...question, state: 'answered', answer: { text, by, at }, updatedAt: at };
}

export function withdrawnQuestion(
  question: Question,
  { by, at, why }: { by: string; at: Instant; why?: string | undefined },
): Question {
  assertPending(question);
  return { ...question, state: 'withdrawn', withdrawn: { by, at, ...(why ? { why } : {}) }, updatedAt: at };
}

function assertPending({ id, state }: Question): void {
  if (state !== 'pending') throw new Fault('conflict', `question ${id} was ${state} already`, { question: id });
}

/** The reply to the asker; undefined while the question is open. A withdrawn permission request is denied. */
export function replyTo({ state, answer, permission, withdrawn: withdrawal }: Question): string | undefined {
  if (answer) return answer.text;
  if (state !== 'withdrawn') return undefined;
  return permission
    ? 'deny'
    : `nobody will answer: the question was withdrawn${withdrawal?.why ? ` (${withdrawal.why})` : ''}. ${DECIDE_ALONE}`;
}

const DECIDE_ALONE = 'Decide it yourself, and say in your report how you did.';

/** Whether this run's question still needs an answer. A permission request does not: it ends with its run. */
export const isOpenQuestionOf = (id: RunId, { runId, state, permission }: Question): boolean =>
  runId === id && state === 'pending' && permission !== true;

/** Whether two texts differ in white space only. */
export const isSameText = (one: string, other: string): boolean => spaced(one) === spaced(other);

const spaced = (text: string): string => text.trim().replace(/\s+/g, ' ');

/** The block of a task that waits for the answer. */
export const questionBlock = ({ id, text }: Question) =>
  ({
    cause: 'question',
    who: 'you',
    what: `it asks: ${cut(spaced(text), LIMITS.excerptCharacters.value)}`,
    questionId: id,
  }) as const;

/** The task with the reply added once to the messages for its agent. */
export function withReplyMessage(task: Task, question: Question): Task {
  const { id, text, answer, withdrawn: withdrawal, updatedAt } = question;
  const reply = replyTo(question);
  if (reply === undefined || task.messages.some((message) => message.answers === id)) return task;
  const outcome = answer ? `The answer is: ${cut(reply, LIMITS.messageBytes.value / 2)}` : `The answer is that ${reply}`;
  const messageText = `You asked: ${cut(spaced(text), LIMITS.excerptCharacters.value)}\n${outcome}`;
  const { by, at } = answer ?? { by: withdrawal?.by ?? 'fleet', at: updatedAt };
  const n = (task.messages.at(-1)?.n ?? 0) + 1;
  const message = { n, at, by, text: messageText, state: 'waiting' as const, answers: id };
  return { ...task, messages: [...task.messages, message].slice(-LIMITS.messages.value), updatedAt: at };
}

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)} … (the rest is in Q&A.md)`;
