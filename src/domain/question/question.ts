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
  /** It asks to be allowed something: nothing an agent can write counts as the answer. */
  permission: z.boolean().optional(),
  state: z.enum(['pending', 'answered', 'withdrawn']),
  answer: z.strictObject({ text: LongText, by: z.string(), at: Instant }).optional(),
  createdAt: Instant,
  updatedAt: Instant,
});
export type Question = z.infer<typeof Question>;

/** The first answer wins. */
export function answered(question: Question, text: string, by: string, at: Instant): Question {
  if (question.state !== 'pending')
    throw new Fault('conflict', `question ${question.id} was ${question.state} already`, { question: question.id });
  return { ...question, state: 'answered', answer: { text, by, at }, updatedAt: at };
}

export const withdrawn = (question: Question, at: Instant): Question => ({ ...question, state: 'withdrawn', updatedAt: at });

/** Whether a run has asked it and nobody has answered; what it asked to be allowed nobody needs once it is over. */
export const isOpenOf = (id: RunId, { runId, state, permission }: Question): boolean =>
  runId === id && state === 'pending' && permission !== true;

/** Same words, however they are spaced. */
export const isSameText = (one: string, other: string): boolean => spaced(one) === spaced(other);

const spaced = (text: string): string => text.trim().replace(/\s+/g, ' ');

/** Who must do what before a task goes on that waits for this answer. */
export const blockedBy = ({ id, text }: Question) =>
  ({
    cause: 'question',
    who: 'you',
    what: `it asks: ${cut(spaced(text), LIMITS.excerptCharacters.value)}`,
    questionId: id,
  }) as const;

/** The task with the answer among what its agent is to be told, once. */
export function toldAnswer(task: Task, { id, text, answer }: Question): Task {
  if (!answer || task.messages.some((message) => message.answers === id)) return task;
  const said = `You asked: ${cut(spaced(text), LIMITS.excerptCharacters.value)}\nThe answer is: ${cut(answer.text, LIMITS.messageBytes.value / 2)}`;
  const n = (task.messages.at(-1)?.n ?? 0) + 1;
  const message = { n, at: answer.at, by: answer.by, text: said, state: 'waiting' as const, answers: id };
  return { ...task, messages: [...task.messages, message].slice(-LIMITS.messages.value), updatedAt: answer.at };
}

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)} … (the rest is in Q&A.md)`;
