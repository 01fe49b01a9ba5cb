import { z } from 'zod';
import { Fault } from '../fault.ts';
import { LIMITS } from '../limits.ts';
import { Instant, LongText, QuestionId, RunId, TaskId, Title } from '../values.ts';

export const Question = z.strictObject({
  id: QuestionId,
  seq: z.int().min(1),
  taskId: TaskId.optional(),
  runId: RunId.optional(),
  askedBy: z.string(),
  text: LongText.refine((value) => value.trim() !== '', 'is empty: ask something'),
  options: z.array(Title).max(LIMITS.questionOptions.value),
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
