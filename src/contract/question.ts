import { z } from 'zod';
import { Question } from '../domain/question/question.ts';
import { LongText } from '../domain/values.ts';
import { operation } from './operation.ts';
import { page, paged, QuestionView, Ref } from './shapes.ts';

export const askQuestion = operation({
  name: 'question.ask',
  kind: 'command',
  role: 'worker',
  summary: 'Ask the people of this fleet a question.',
  input: z.strictObject({
    text: Question.shape.text.describe('the question'),
    option: Question.shape.options.default([]).describe('one answer to choose from; may be repeated'),
    task: Ref.optional().describe('task the question is about; by default the task of the asking run'),
  }),
  output: QuestionView,
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'limit', 'unavailable'],
});

export const listQuestions = operation({
  name: 'question.list',
  kind: 'query',
  ofRows: true,
  role: 'monitor',
  summary: 'List open questions.',
  input: z.strictObject({
    all: z.boolean().default(false).describe('include answered and withdrawn questions'),
    task: Ref.optional().describe('only questions about this task'),
    ...paged,
  }),
  output: page(QuestionView),
  faults: ['not_found', 'unavailable'],
});

export const showQuestion = operation({
  name: 'question.show',
  kind: 'query',
  ofRows: true,
  role: 'monitor',
  summary: 'Show one question and its answer, if there is one.',
  input: z.strictObject({ id: Ref }),
  output: QuestionView,
  faults: ['invalid', 'not_found', 'unavailable'],
});

export const answerQuestion = operation({
  name: 'question.answer',
  kind: 'command',
  role: 'team-lead',
  summary: 'Answer a question; a task blocked by it goes on.',
  input: z.strictObject({
    id: Ref,
    text: LongText.refine((value) => value.trim() !== '', 'is empty: say something').describe(
      'the answer, or the number of an option',
    ),
  }),
  output: QuestionView,
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'unavailable'],
});

export const withdrawQuestion = operation({
  name: 'question.withdraw',
  kind: 'command',
  role: 'team-lead',
  summary: 'Withdraw a question that needs no answer; a task blocked by it goes on and its agent decides.',
  input: z.strictObject({
    id: Ref,
    why: LongText.optional().describe('the reason, which the asker is told'),
  }),
  output: QuestionView,
  faults: ['invalid', 'not_found', 'conflict', 'unavailable'],
});
