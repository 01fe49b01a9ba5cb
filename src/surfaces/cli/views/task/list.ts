import type { TaskView } from '../../../../contract/shapes.ts';
import { executorNow } from '../../../../domain/task/failover.ts';
import { ago } from '../../terminal/ages.ts';
import { type Column, columns } from '../../terminal/columns.ts';
import { plainLine } from '../../terminal/plain.ts';
import { homely, phasePaint, phaseSign, shortId, type ViewStyle } from '../style.ts';

interface TaskPage {
  readonly items: readonly TaskView[];
  readonly cursor?: string | undefined;
}

export function taskList({ items, cursor }: TaskPage, look: ViewStyle): string {
  if (items.length === 0) return emptyList(look);
  return taskTable(items, look, [phaseColumn(look)]) + more(cursor, look);
}

export function readyList({ items }: TaskPage, look: ViewStyle): string {
  if (items.length === 0) return "Nothing is ready. Queue work with: fleet task create --prompt '…'\n";
  return taskTable(items, look, [{ title: 'PRIORITY', cell: ({ priority }) => String(priority), align: 'right', expendable: 3 }]);
}

const taskTable = (items: readonly TaskView[], look: ViewStyle, extra: readonly Column<TaskView>[]): string =>
  columns<TaskView>(
    items,
    [
      idColumn(look),
      ...extra,
      titleColumn,
      { title: 'WHERE', cell: (task) => placeOf(task, look), least: 10, expendable: 1 },
      { title: 'EXECUTOR', cell: executorOf, least: 8, expendable: 2 },
      { title: 'CHANGED', cell: ({ updatedAt }) => ago(updatedAt, look.nowMs), paint: look.paint.dim, expendable: 1 },
    ],
    layout(look),
  );

const idColumn = ({ paint }: ViewStyle): Column<TaskView> => ({ title: 'ID', cell: ({ id }) => shortId(id), paint: paint.bold });
const titleColumn: Column<TaskView> = { title: 'TITLE', cell: ({ title }) => plainLine(title), least: 16 };
const phaseColumn = ({ paint }: ViewStyle): Column<TaskView> => ({
  title: 'PHASE',
  cell: ({ phase, cancelAsked }) => `${phaseSign(phase.state)} ${cancelAsked ? 'stopping' : phaseName(phase)}`,
  paint: (text, { phase }) => phasePaint(phase.state, paint)(text),
});

/** To look at finished work is the one thing a blocked task may wait for that is no trouble. */
const phaseName = (phase: TaskView['phase']): string =>
  phase.state === 'blocked' && phase.block.cause === 'review' ? 'to review' : phase.state;

export const layout = ({ width, paint }: ViewStyle) => ({ width, heading: paint.dim });

/** The project by its name, or the directory. */
export const placeOf = ({ project, directory }: TaskView, look: ViewStyle): string =>
  project !== undefined ? plainLine(project) : homely(directory ?? '–', look);
export const executorOf = ({ executors, executorAt }: TaskView): string =>
  plainLine(executorNow({ executors, executorAt }) ?? 'default') + (executors.length > 1 ? ` +${executors.length - 1}` : '');

export const more = (cursor: string | undefined, { paint }: ViewStyle): string =>
  cursor === undefined ? '' : paint.dim(`\nThere are more: add --cursor ${plainLine(cursor)}\n`);

function emptyList({ input }: ViewStyle): string {
  const isFiltered = Object.keys(input).some((field) => field !== 'limit');
  if (isFiltered) return 'No task matches. Without flags, fleet task list shows all.\n';
  return "No tasks yet. Queue the first with: fleet task create --prompt '…'\n";
}
