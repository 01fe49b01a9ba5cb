import type { RunView } from '../../../../contract/run.ts';
import type { TaskView } from '../../../../contract/shapes.ts';
import { clockTime, elapsedSince } from '../../terminal/ages.ts';
import { type Column, columns } from '../../terminal/columns.ts';
import { plainLine } from '../../terminal/plain.ts';
import { compact, healthPaint } from '../run/list.ts';
import { homely, phasePaint, phaseSign, shortId, type ViewStyle } from '../style.ts';
import { executorOf, layout, more, placeOf } from './list.ts';

/** Tasks somebody works on, with the runs that do. */
export interface AtWork {
  readonly items: readonly TaskView[];
  readonly cursor?: string | undefined;
  readonly runs: readonly RunView[];
}

interface Row {
  readonly task: TaskView;
  readonly run: RunView | undefined;
}

/** What only a run knows is a dash for a task that a person claimed. */
export function runningTable({ items, cursor, runs }: AtWork, look: ViewStyle): string {
  if (items.length === 0) return 'Nobody works on a task right now. See what could start with: fleet ready\n';
  const { paint, nowMs } = look;
  const byId = new Map<string, RunView>(runs.map((run) => [run.id, run]));
  const rows = items.map((task): Row => ({ task, run: byId.get(holderOf(task) ?? '') }));
  const table = columns<Row>(
    rows,
    [
      { title: 'ID', cell: ({ task }) => shortId(task.id), paint: paint.bold },
      ...(items.some(isProved) ? [phaseColumn(look)] : []),
      { title: 'STARTED', cell: (row) => clockTime(beganAt(row), nowMs), expendable: 4 },
      { title: 'ELAPSED', cell: (row) => elapsedSince(beganAt(row), nowMs), align: 'right' },
      {
        title: 'IDLE',
        cell: ({ task, run }) => (run?.watch && !isProved(task) ? elapsedSince(run.watch.signAt, nowMs) : '–'),
        align: 'right',
        expendable: 7,
      },
      {
        title: 'HEALTH',
        cell: ({ run }) => run?.health ?? '–',
        paint: (text, { run }) => (run?.health ? healthPaint(run.health, paint)(text) : text),
        expendable: 2,
      },
      { title: 'CONTEXT', cell: contextOf, align: 'right', expendable: 6 },
      { title: 'EVENTS', cell: ({ run }) => String(run?.watch?.events ?? '–'), align: 'right', expendable: 8 },
      { title: 'EXECUTOR', cell: ({ task, run }) => (run ? plainLine(run.executor) : executorOf(task)), least: 8 },
      {
        title: 'MODEL',
        cell: modelOf,
        paint: (text, { task }) => (task.model === undefined ? paint.dim(text) : paint.bold(text)),
        least: 6,
        expendable: 5,
      },
      { title: 'TITLE', cell: ({ task }) => plainLine(task.title), least: 16 },
      { title: 'DIRECTORY', cell: (row) => directoryOf(row, look), paint: paint.dim, least: 10, expendable: 3 },
    ],
    layout(look),
  );
  return table + more(cursor, look);
}

/** Its agent has finished, and its work is on its way. */
const isProved = ({ phase }: TaskView): boolean => phase.state === 'verifying' || phase.state === 'merging';

const phaseColumn = ({ paint }: ViewStyle): Column<Row> => ({
  title: 'PHASE',
  cell: ({ task: { phase } }) => `${phaseSign(phase.state)} ${phase.state}`,
  paint: (text, { task }) => phasePaint(task.phase.state, paint)(text),
});

const holderOf = ({ phase }: TaskView): string | undefined =>
  'holder' in phase && phase.holder.kind === 'run' ? phase.holder.runId : undefined;

const beganAt = ({ task, run }: Row): string => {
  const { phase } = task;
  const since = 'since' in phase ? phase.since : phase.at;
  return isProved(task) ? since : (run?.createdAt ?? since);
};

function contextOf({ run }: Row): string {
  const context = run?.watch?.context;
  if (!context) return '–';
  return context.limit ? `${compact(context.tokens)}/${compact(context.limit)}` : compact(context.tokens);
}

/** A model the task asked for stands alone; any other is marked as the default. */
function modelOf({ task, run }: Row): string {
  if (task.model !== undefined) return plainLine(task.model);
  return run?.model === undefined ? '(default)' : `${plainLine(run.model)} (default)`;
}

const directoryOf = ({ task, run }: Row, look: ViewStyle): string =>
  run?.directory ? homely(run.directory, look) : placeOf(task, look);
