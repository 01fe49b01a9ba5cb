import { z } from 'zod';
import { Question } from '../domain/question/question.ts';
import { LongText } from '../domain/values.ts';
import { operation } from './operation.ts';
import { page, paged, QuestionView, Ref } from './shapes.ts';

export const askQuestion = operation({
  name: 'question.ask',
  kind: 'command',
  role: 'worker',
  summary: 'Ask the people of this fleet something.',
  input: z.strictObject({
    text: Question.shape.text.describe('the question'),
    option: Question.shape.options.default([]).describe('an answer to choose from; may be repeated'),
    task: Ref.optional().describe('task it is about; that of the run for an agent'),
  }),
  output: QuestionView,
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'limit', 'unavailable'],
});

export const listQuestions = operation({
  name: 'question.list',
  kind: 'query',
  ofRows: true,
  role: 'monitor',
  summary: 'List questions that wait for an answer.',
  input: z.strictObject({
    all: z.boolean().default(false).describe('also those that were answered'),
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
  summary: 'Show one question and its answer, if there is one yet.',
  input: z.strictObject({ id: Ref }),
  output: QuestionView,
  faults: ['invalid', 'not_found', 'unavailable'],
});

export const answerQuestion = operation({
  name: 'question.answer',
  kind: 'command',
  role: 'team-lead',
  summary: 'Answer a question; a task that was blocked by it goes on.',
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
  summary: 'Withdraw a question that needs no answer; a task that was blocked by it goes on and decides itself.',
  input: z.strictObject({
    id: Ref,
    why: LongText.optional().describe('why nobody needs to answer it; whoever asked is told'),
  }),
  output: QuestionView,
  faults: ['invalid', 'not_found', 'conflict', 'unavailable'],
});
