import { Question } from '../../domain/question/question.ts';
import { records } from './record.ts';

export const questionIndex = {
  all: 'question.all',
  pending: 'question.pending',
  task: (taskId: string) => `question.task/${taskId}`,
} as const;

export const questions = records<Question>({
  kind: 'question',
  schema: Question,
  idOf: ({ id }) => id,
  entriesOf: ({ id, state, taskId }) => [
    { index: questionIndex.all, sort: id },
    ...(state === 'pending' ? [{ index: questionIndex.pending, sort: id }] : []),
    ...(taskId ? [{ index: questionIndex.task(taskId), sort: id }] : []),
  ],
});
