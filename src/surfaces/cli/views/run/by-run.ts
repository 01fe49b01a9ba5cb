import type { OutputOf } from '../../../../contract/call.ts';
import { ago } from '../../terminal/ages.ts';
import { pairs } from '../../terminal/columns.ts';
import { plain, plainLine } from '../../terminal/plain.ts';
import { indented, wrap } from '../../terminal/wrap.ts';
import { questionCard } from '../question/question.ts';
import { counted, homely, shortId, type ViewStyle } from '../style.ts';

type Context = OutputOf<'run.context'>;

/** What an agent is told when it asks what it is about. */
export function runContext(context: Context, look: ViewStyle): string {
  const { task, parent, dependencies, reviews, recent, earlier, questions } = context;
  const heading = `${look.paint.bold(plainLine(task.title))}\n${look.paint.dim(`  task ${shortId(task.id)}, run ${shortId(context.runId)}, attempt ${context.attempt}`)}\n`;
  const rows = facts(context, look).filter((row): row is readonly [string, string] => Boolean(row[1]));
  return [
    heading,
    paragraph(task.prompt, look),
    pairs(rows, { width: look.width, indent: '  ', paint: look.paint.dim }),
    parent ? section('Part of', [`${shortId(parent.taskId)}  ${plainLine(parent.title)}`], look) : '',
    section('Depends on', dependencies.map(neighbour), look),
    section('Reviews of it', reviews.map(neighbour), look),
    section(
      'Earlier runs',
      earlier.map(
        ({ runId, outcome, detail }) => `${shortId(runId)}  ${outcome ?? 'not ended'}${detail ? `: ${plainLine(detail)}` : ''}`,
      ),
      look,
    ),
    section('Finished in this project', recent.map(neighbour), look),
    questions.map((question) => questionCard(question, look)).join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

const facts = (
  { task, project, directory, team, notes }: Context,
  look: ViewStyle,
): readonly (readonly [string, string | undefined])[] => [
  ['Done when', task.acceptance && plainLine(task.acceptance)],
  ['Kind', `${task.kind}${task.expectsChanges ? '' : ', changes nothing'}`],
  ['Project', project && plainLine(project.name)],
  ['Directory', directory && homely(directory, look)],
  ['Branch', task.branch && plainLine(task.branch)],
  ['Target', project?.targetBranch && plainLine(project.targetBranch)],
  ['Gate', project?.verify && plainLine(project.verify)],
  ['Team', team && plainLine(team)],
  ['Notes', homely(notes, look)],
  ['Parts', `${task.partsLeft} more, ${counted(task.depthLeft, 'level')} deep`],
  ['Unheard', task.unheard > 0 ? `${counted(task.unheard, 'message')}: fleet inbox read` : undefined],
];

const neighbour = ({ taskId, title, state, report }: Context['recent'][number]): string =>
  `${shortId(taskId)}  ${state}  ${plainLine(title)}${report?.summary ? `: ${plainLine(report.summary)}` : ''}`;

function section(title: string, lines: readonly string[], { paint, width }: ViewStyle): string {
  if (lines.length === 0) return '';
  const room = Math.max(20, width - 4);
  const body = Number.isFinite(width) ? lines.flatMap((line) => wrap(line, room)) : lines;
  return `  ${paint.dim(title)}\n${body.map((line) => `    ${line}\n`).join('')}`;
}

function paragraph(text: string, { width }: ViewStyle): string {
  const shown = plain(text).trimEnd();
  return `${indented(Number.isFinite(width) ? wrap(shown, Math.max(20, Math.min(width, 96) - 2)) : shown.split('\n'))}\n`;
}

export const reportSubmitted = ({ runId, status, summary }: OutputOf<'report.submit'>, look: ViewStyle): string =>
  `${look.paint.bold(status)} reported for run ${shortId(runId)}\n${paragraph(summary, look)}`;

export function inbox({ taskId, items }: OutputOf<'inbox.read'>, look: ViewStyle): string {
  if (items.length === 0) return `Nothing new for task ${shortId(taskId)}.\n`;
  return items
    .map(({ n, by, at, text }) => {
      const head = `${look.paint.bold(String(n))}  ${look.paint.dim(`${plainLine(by)}, ${ago(at, look.nowMs)}`)}\n`;
      return head + paragraph(text, look);
    })
    .join('\n');
}
