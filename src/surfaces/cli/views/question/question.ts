import type { OutputOf } from '../../../../contract/call.ts';
import type { Question } from '../../../../domain/question/question.ts';
import { ago } from '../../terminal/ages.ts';
import { plain, plainLine } from '../../terminal/plain.ts';
import { indented, wrap } from '../../terminal/wrap.ts';
import { shortId, type ViewStyle } from '../style.ts';

export function questionList({ items, cursor }: OutputOf<'question.list'>, look: ViewStyle): string {
  if (items.length === 0) return 'Nobody waits for an answer.\n';
  const more = cursor === undefined ? '' : look.paint.dim(`\nThere are more: add --cursor ${plainLine(cursor)}\n`);
  return items.map((question) => questionCard(question, look)).join('\n') + more;
}

/** The question, its options by number, and the command that answers it. */
export function questionCard(question: Question, look: ViewStyle): string {
  const { paint, nowMs, width } = look;
  const { id, taskId, askedBy, createdAt, options, answer, state } = question;
  const about = taskId === undefined ? '' : ` about task ${shortId(taskId)}`;
  const sign = state === 'pending' ? paint.yellow('?') : paint.dim('✓');
  const head = `${sign} ${paint.bold(shortId(id))}  ${paint.dim(`${plainLine(askedBy)}${about}, ${ago(createdAt, nowMs)}`)}\n`;
  const body = `${indented(wrap(plain(question.text).trimEnd(), Math.max(20, Math.min(width, 96) - 2)))}\n`;
  const choices = options.map((option, index) => `    ${index + 1}  ${plainLine(option)}\n`).join('');
  return (
    head +
    (Number.isFinite(width) ? body : `${indented(plain(question.text).trimEnd().split('\n'))}\n`) +
    choices +
    ending(question, answer, look)
  );
}

function ending({ id, state, options, withdrawn }: Question, answer: Question['answer'], { paint, nowMs }: ViewStyle): string {
  if (answer)
    return `  ${paint.green('→')} ${plainLine(answer.text)} ${paint.dim(`(${plainLine(answer.by)}, ${ago(answer.at, nowMs)})`)}\n`;
  if (state === 'withdrawn') {
    const why = withdrawn?.why ? `: ${plainLine(withdrawn.why)}` : '';
    const who = withdrawn ? ` (${plainLine(withdrawn.by)}, ${ago(withdrawn.at, nowMs)})` : '';
    return `  ${paint.dim(`withdrawn${why}${who}`)}\n`;
  }
  return `  ${paint.cyan(answerCommand(id, options.length > 0))}\n`;
}

export const answerCommand = (id: string, hasOptions: boolean): string =>
  `fleet question answer ${shortId(id)} ${hasOptions ? 'NUMBER' : 'TEXT'}`;

export const questionAsked = (question: Question, look: ViewStyle): string => `asked\n${questionCard(question, look)}`;
