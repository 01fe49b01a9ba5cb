import { LIMITS } from '../limits.ts';
import type { Question } from './question.ts';

/* The page Q&A.md of a task, a file in which agents ask and people answer. `docs/guide/questions.md` describes its form. */

/** A question on the page that has no id yet. */
export interface WrittenQuestion {
  readonly text: string;
  readonly options: readonly string[];
}

export interface QuestionPage {
  readonly head: string;
  readonly sections: readonly Section[];
}

interface Section {
  /** The text exactly as on the page. */
  readonly raw: string;
  /** The id of a known question. */
  readonly id?: string;
  readonly written?: WrittenQuestion;
  /** The text below the answer heading. */
  readonly answer?: string;
}

const HEADING = /^##[ \t]+(.*)$/;
const KNOWN = /^(question_[0-9a-z]{26})\b/;
const ASKED = /^question\b[ \t]*:?[ \t]*(.*)$/i;
const ANSWER = /^###[ \t]+answer\b.*$/im;
const OPTION = /^[ \t]*\d{1,2}[.)][ \t]+(.+)$/;

/** Parses any text as a page: sections that are no questions are kept as they are. */
export function parseQuestionPage(text: string): QuestionPage {
  const parts: string[][] = [[]];
  for (const line of text.split('\n')) {
    if (HEADING.test(line)) parts.push([]);
    parts.at(-1)?.push(line);
  }
  const [head = [], ...rest] = parts;
  return { head: head.join('\n'), sections: rest.map((lines) => sectionOf(lines)) };
}

function sectionOf(lines: readonly string[]): Section {
  const raw = lines.join('\n');
  const heading = HEADING.exec(lines[0] ?? '')?.[1]?.trim() ?? '';
  const body = withoutComments(lines.slice(1).join('\n'));
  const answerHeading = ANSWER.exec(body);
  const asked = answerHeading ? body.slice(0, answerHeading.index) : body;
  const id = KNOWN.exec(heading)?.[1];
  if (id) {
    const answer = answerHeading ? body.slice(answerHeading.index + answerHeading[0].length).trim() : '';
    return { raw, id, ...(answer ? { answer: answer.slice(0, LIMITS.textFieldBytes.value / 4) } : {}) };
  }
  const first = ASKED.exec(heading)?.[1];
  const written = first === undefined ? undefined : writtenIn(`${first}\n${asked}`);
  return { raw, ...(written ? { written } : {}) };
}

/** Removes comments; an unclosed comment stays as text. A search, not a pattern, keeps the time linear. */
export function withoutComments(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let start = text.indexOf(OPEN); start !== -1; start = text.indexOf(OPEN, from)) {
    const end = text.indexOf(CLOSE, start + OPEN.length);
    if (end === -1) break;
    kept.push(text.slice(from, start));
    from = end + CLOSE.length;
  }
  return kept.join('') + text.slice(from);
}

const OPEN = '<!--';
const CLOSE = '-->';

function writtenIn(text: string): WrittenQuestion | undefined {
  const lines = text.trim().split('\n');
  const options: string[] = [];
  // The numbered lines at the end are the options.
  for (let line = lines.at(-1); line !== undefined; line = lines.at(-1)) {
    const option = OPTION.exec(line)?.[1]?.trim();
    if (option === undefined && line.trim() !== '') break;
    if (option !== undefined) options.unshift(option.slice(0, LIMITS.titleCharacters.value));
    lines.pop();
  }
  const asked = lines
    .join('\n')
    .trim()
    .slice(0, LIMITS.textFieldBytes.value / 4);
  return asked === '' ? undefined : { text: asked, options: options.slice(0, LIMITS.questionOptions.value) };
}

/**
 * The page with the present state of every question: new questions have their ids, answers given elsewhere are filled in, and
 * all other text stays. Writing the result again changes nothing.
 */
export function questionPageText(
  page: QuestionPage,
  questions: readonly Question[],
  ids: ReadonlyMap<WrittenQuestion, string>,
): string {
  const byId = new Map(questions.map((question) => [question.id as string, question]));
  const shown = new Set<string>();
  const sections = page.sections.flatMap((section) => {
    const id = section.id ?? (section.written && ids.get(section.written));
    const question = id === undefined ? undefined : byId.get(id);
    if (!question) return [section.raw];
    // The same question written twice counts once.
    if (shown.has(question.id)) return section.written ? [] : [section.raw];
    shown.add(question.id);
    return [section.id && question.state === 'pending' ? section.raw : sectionText(question)];
  });
  const others = questions.filter(({ id }) => !shown.has(id)).map(sectionText);
  const texts = [page.head, ...sections, ...others].map((text) => text.trimEnd()).filter((text) => text !== '');
  return `${texts.join('\n\n')}\n`;
}

function sectionText(question: Question): string {
  const { id, text, options, askedBy, createdAt } = question;
  const asked = [`<!-- asked by ${plain(askedBy)} at ${createdAt} -->`, '', quoted(text)];
  const choices = options.length === 0 ? [] : ['', ...options.map((option, index) => `${index + 1}. ${plain(option)}`)];
  return [`## ${id}`, '', ...asked, ...choices, '', ...answerLines(question)].join('\n');
}

function answerLines({ id, permission, state, answer, withdrawn }: Question): string[] {
  if (answer) return ['### Answer', '', `<!-- by ${plain(answer.by)} at ${answer.at} -->`, '', quoted(answer.text)];
  if (state === 'withdrawn')
    return [
      '### Withdrawn',
      ...(withdrawn ? ['', `<!-- by ${plain(withdrawn.by)} at ${withdrawn.at} -->`] : []),
      ...(withdrawn?.why ? ['', quoted(withdrawn.why)] : []),
    ];
  const command = `fleet question answer ${id.slice(-8)}`;
  if (permission) return [`<!-- asks for permission: answer with ${command}, not here -->`];
  return ['### Answer', '', `<!-- write it below, or run: ${command} -->`];
}

/** Quotes every line, so that none is taken for a heading of the page. */
const quoted = (text: string): string =>
  text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');

/** The text as one line that cannot end a comment. */
const plain = (text: string): string => text.replace(/\s+/g, ' ').replaceAll('--', '- -');
