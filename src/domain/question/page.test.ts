import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectLinear } from '../../../test/support/growth.ts';
import type { QuestionId } from '../values.ts';
import { parseQuestionPage, questionPageText, type WrittenQuestion } from './page.ts';
import type { Question } from './question.ts';

const at = '2030-01-01T12:00:00.000Z';
const id = (n: number) => `question_${String(n).padStart(26, '0')}` as QuestionId;
const question = (n: number, more: Partial<Question> = {}): Question => ({
  id: id(n),
  seq: 1,
  askedBy: 'claude',
  text: `Question ${n}?`,
  options: [],
  state: 'pending',
  createdAt: at,
  updatedAt: at,
  ...more,
});
const none = new Map<WrittenQuestion, string>();

describe('the page of questions and answers', () => {
  it('yields the questions without an id, with their options, in any spelling of the heading', () => {
    const page = parseQuestionPage(
      '# Questions and answers\n\nnotes\n\n## Question\n\nWhich colour?\nBe quick.\n\n1. red\n2) blue\n\n## question: How big?\n## Plans\nnone\n',
    );
    expect(page.sections.map(({ written }) => written)).toEqual([
      { text: 'Which colour?\nBe quick.', options: ['red', 'blue'] },
      { text: 'How big?', options: [] },
      undefined,
    ]);
  });

  it('shows a known question with a place for its answer, and yields that answer', () => {
    const text = questionPageText(
      parseQuestionPage('# Questions and answers\n'),
      [question(1, { options: ['red', 'blue'] })],
      none,
    );
    expect(text).toContain(`## ${id(1)}`);
    expect(text).toContain('> Question 1?');
    expect(parseQuestionPage(text).sections[0]).not.toHaveProperty('answer');
    expect(parseQuestionPage(`${text}\n2\n`).sections[0]).toMatchObject({ id: id(1), answer: '2' });
  });

  it('gives new questions their ids in place, and keeps everything else', () => {
    const page = parseQuestionPage('# Q\n\n## Question\nOne?\n\n## Mine\nkeep me\n\n## Question\nOne?\n');
    const [first, , second] = page.sections;
    const ids = new Map([first, second].flatMap((section) => (section?.written ? [[section.written, id(1)] as const] : [])));
    const next = questionPageText(page, [question(1, { text: 'One?' })], ids);
    expect(next.match(/^## .*/gm)).toEqual([`## ${id(1)}`, '## Mine']);
    expect(next).toContain('keep me');
    expect(questionPageText(parseQuestionPage(next), [question(1, { text: 'One?' })], none)).toBe(next);
  });

  it('shows an answer given elsewhere, and yields no answer to a permission request', () => {
    const open = questionPageText(parseQuestionPage(''), [question(1), question(2, { permission: true })], none);
    const answered = question(1, { state: 'answered', answer: { text: 'yes\n## Question\nnot one', by: 'ada', at } });
    const next = questionPageText(parseQuestionPage(open), [answered, question(2, { permission: true })], none);
    expect(next).toContain('> yes\n> ## Question');
    expect(parseQuestionPage(next).sections.map((section) => section.written)).toEqual([undefined, undefined]);
    expect(parseQuestionPage(next).sections[1]).not.toHaveProperty('answer');
    expect(next).toContain('answer with fleet question answer');
  });

  it('is parsed in time linear to its length [T13]', () => {
    for (const pump of ['<!--', '<!-->', '-->', '## question x\n<!--', '1. \n', '### answer\n', '\t', ' \n', '<!--x-->'])
      expectLinear('page', parseQuestionPage, { before: '## question: x\n', pump });
    expect(
      parseQuestionPage('## Question: a <!-- b\nx <!-- one --> y <!-- two\n--> z <!-- open').sections[0]?.written?.text,
    ).toBe('a <!-- b\nx  y  z <!-- open');
  });

  it('can be any text, and is unchanged by a second writing', () => {
    const lines = fc.constantFrom(
      '## Question',
      '### Answer',
      `## ${id(1)}`,
      '1. a',
      '<!--',
      '-->',
      'x',
      '',
      '## ',
      '> y',
      '# top',
    );
    fc.assert(
      fc.property(fc.array(lines), fc.string(), (parts, tail) => {
        const text = [...parts, tail].join('\n');
        const once = questionPageText(parseQuestionPage(text), [question(1), question(2)], none);
        expect(questionPageText(parseQuestionPage(once), [question(1), question(2)], none)).toBe(once);
      }),
    );
  });
});
