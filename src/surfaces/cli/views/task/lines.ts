import type { OutputOf } from '../../../../contract/call.ts';
import type { TaskView } from '../../../../contract/shapes.ts';
import type { JournalEntry } from '../../../../domain/journal/entry.ts';
import { clockTime } from '../../terminal/ages.ts';
import { plainLine } from '../../terminal/plain.ts';
import { widthOf } from '../../terminal/width.ts';
import { indented, wrap } from '../../terminal/wrap.ts';
import { counted, phasePaint, shortId, type ViewStyle } from '../style.ts';
import { shortCommit } from '../work/changes.ts';
import { phaseText, whereText } from './page.ts';

/** One line that says how a task stands now, after something was done to it. */
export function taskLine(task: TaskView, { paint }: ViewStyle): string {
  const { state } = task.phase;
  const word = task.cancelAsked ? 'stopping' : state;
  return `${phasePaint(state, paint)(word)} ${paint.bold(shortId(task.id))}  ${plainLine(task.title)}\n`;
}

export function taskCreated(task: TaskView, look: ViewStyle): string {
  const id = shortId(task.id);
  const hint =
    task.phase.state === 'draft' ? `fleet task dispatch ${id} hands it over` : `fleet task show ${id} tells how it goes`;
  const waits = task.phase.state === 'waiting' ? `  ${phaseText(task, look)}\n` : '';
  return `${taskLine(task, look)}${waits}  ${whereText(task, look)}\n${warnings(task, look)}  ${look.paint.dim(hint)}\n`;
}

const warnings = ({ warnings: list = [] }: TaskView, { paint, width }: ViewStyle): string =>
  list.map((text) => `  ${paint.yellow('!')} ${wrap(plainLine(text), Math.max(20, width - 4)).join('\n    ')}\n`).join('');

/** After a retry or a resume: where to look next. */
export const taskAgain = (task: TaskView, look: ViewStyle): string =>
  `${taskLine(task, look)}  ${look.paint.dim(`fleet task log ${shortId(task.id)} --follow shows what it does`)}\n`;

export function taskForked(task: TaskView, look: ViewStyle): string {
  const { taskId, commit } = task.forkedFrom ?? {};
  const from = taskId === undefined ? '' : shortId(taskId);
  const what = commit
    ? `goes on from ${from} as it stood at ${shortCommit(commit)}, on a branch of its own`
    : `goes on from ${from}: ${whereText(task, look)}; one of the two works there at a time`;
  return `${taskLine(task, look)}  ${what}\n  ${look.paint.dim(`fleet task log ${shortId(task.id)} --follow shows what it does`)}\n`;
}

export function messageSent({ taskId, n, state }: OutputOf<'task.send'>, { paint }: ViewStyle): string {
  const when = { waiting: 'its agent hears it as soon as it listens', sent: 'it is on its way', heard: 'its agent has it' };
  return `message ${n} for ${paint.bold(shortId(taskId))}: ${when[state]}\n`;
}

export const taskOpened = ({ taskId, executor, directory }: OutputOf<'task.open'>, { paint }: ViewStyle): string =>
  `${paint.bold(shortId(taskId))} is opened with ${plainLine(executor)} in ${plainLine(directory)}\n`;

export const taskDeleted = ({ id }: OutputOf<'task.delete'>, { paint }: ViewStyle): string =>
  `deleted ${paint.bold(shortId(id))}\n`;

export function taskEvents({ items, next }: OutputOf<'task.events'>, look: ViewStyle): string {
  if (items.length === 0) return 'No more events.\n';
  const limit = look.input['limit'] ?? 50;
  const more = items.length === limit ? look.paint.dim(`There may be more: add --after ${next}\n`) : '';
  const times = items.map(({ at }) => clockTime(at, look.nowMs));
  const size = Math.max(...times.map((time) => time.length));
  return items.map((entry, index) => eventLine(entry, (times[index] ?? '').padStart(size), look)).join('') + more;
}

export const commentAdded = (entry: JournalEntry, look: ViewStyle): string =>
  `added to the history as event ${entry.n}\n${eventLine(entry, clockTime(entry.at, look.nowMs), look)}`;

function eventLine({ n, by, what, from, to, why, data }: JournalEntry, time: string, { paint, width }: ViewStyle): string {
  const head = `${String(n).padStart(3)}  ${time}  `;
  const change = to === undefined ? '' : ` ${from === undefined ? '' : `${plainLine(from)} `}→ ${plainLine(to)}`;
  const first = `${paint.dim(head)}${paint.bold(plainLine(what))}${change} ${paint.dim(`by ${plainLine(by)}`)}\n`;
  const said = why ?? (typeof data?.['text'] === 'string' ? data['text'] : undefined);
  if (said === undefined) return first;
  const margin = ' '.repeat(widthOf(head));
  return `${first}${indented(wrap(plainLine(said), Math.max(20, width - margin.length)), margin)}\n`;
}

export function tasksImported({ created, skipped }: OutputOf<'task.import'>, { paint }: ViewStyle): string {
  const lines = skipped.map(({ source, why }) => `  ${paint.dim('left out')} ${plainLine(source)}: ${plainLine(why)}\n`);
  return `imported ${counted(created.length, 'task')}${skipped.length > 0 ? `, left out ${skipped.length}` : ''}\n${lines.join('')}`;
}
