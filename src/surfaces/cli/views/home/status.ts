import type { OutputOf } from '../../../../contract/call.ts';
import type { TaskView } from '../../../../contract/shapes.ts';
import { PHASE_STATES, type PhaseState } from '../../../../domain/task/phases.ts';
import { ago, clockTime, elapsedSince } from '../../terminal/ages.ts';
import { type Column, columns } from '../../terminal/columns.ts';
import { plainLine } from '../../terminal/plain.ts';
import { truncate } from '../../terminal/width.ts';
import { indented, wrap } from '../../terminal/wrap.ts';
import { contextText, dollarsText } from '../cost/cost.ts';
import { pausedName } from '../cost/pause.ts';
import { answerCommand } from '../question/question.ts';
import { counted, homely, phasePaint, phaseSign, shortId, type ViewStyle } from '../style.ts';
import { executorOf, placeOf } from '../task/list.ts';
import { unblock } from '../task/next-commands.ts';
import { changesText } from '../work/changes.ts';

type Status = OutputOf<'fleet.status'>;

/** The whole fleet on one screen: what goes on, what needs a person, what is wrong. */
export function fleetStatus(status: Status, look: ViewStyle): string {
  const parts = [head, counts, needsYou, reviews, running, paused, heldUp, problems].map((part) => part(status, look));
  return parts.filter((part) => part !== '').join('\n');
}

function head({ home, engine }: Status, look: ViewStyle): string {
  const { paint, nowMs } = look;
  const place = `${paint.bold('Fleet')} in ${homely(home, look)}`;
  if (!engine.running)
    return `${place}\n${paint.yellow('○')} nothing is dispatched: start the engine with ${paint.cyan('fleet up')}\n`;
  const where = [
    engine.host && `on ${plainLine(engine.host)}`,
    engine.pid && `pid ${engine.pid}`,
    engine.since && `since ${ago(engine.since, nowMs)}`,
  ];
  return `${place}\n${paint.green('●')} engine runs ${where.filter(Boolean).join(', ')}\n`;
}

function counts({ counts: { tasks, atLeast, at }, projects }: Status, look: ViewStyle): string {
  const { paint } = look;
  const present = PHASE_STATES.map((state) => ({ state, count: tasks[state] ?? 0 })).filter(({ count }) => count > 0);
  const total = present.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return `${nothingYet(projects)}\n`;
  const plus = (state: string) => (atLeast.includes(state) ? '+' : '');
  const words = present.map(
    ({ state, count }) => `${phasePaint(state, paint)(`${phaseSign(state)} ${count}${plus(state)}`)} ${state}`,
  );
  const age = at === undefined ? '' : paint.dim(`, counted ${ago(at, look.nowMs)}`);
  const sum = `${counted(total, 'task').replace(' ', atLeast.length > 0 ? '+ ' : ' ')} in ${counted(projects, 'project')}${age}`;
  return `${bar(present, total, look)}  ${sum}\n${words.join('   ')}\n`;
}

const barCells = 32;

/** Each phase that has a task gets at least one cell. */
function bar(present: readonly { state: PhaseState; count: number }[], total: number, { paint }: ViewStyle): string {
  const spare = Math.max(0, barCells - present.length);
  return present
    .map(({ state, count }) => phasePaint(state, paint)('█'.repeat(1 + Math.round((count / total) * spare))))
    .join('');
}

const nothingYet = (projects: number): string =>
  projects === 0
    ? "No projects and no tasks yet.\n  fleet project add DIR            make a repository known\n  fleet task create --prompt '…'   queue work for this directory"
    : "No tasks yet.\n  fleet task create --project NAME --prompt '…'   queue the first";

const isReview = ({ phase }: Status['blocked'][number]): boolean => phase.state === 'blocked' && phase.block.cause === 'review';

/** Finished work, with what to type for it. */
function reviews({ blocked }: Status, look: ViewStyle): string {
  const waiting = blocked.filter(isReview);
  const [first] = waiting;
  if (!first) return '';
  const { paint, width, nowMs } = look;
  const table = columns(
    waiting,
    [
      { title: '', cell: () => '  ◆', paint: paint.yellow },
      { title: '', cell: ({ id }) => shortId(id), paint: paint.bold },
      { title: '', cell: ({ title }) => plainLine(title), least: 16 },
      { title: '', cell: ({ work }) => (work?.changes ? changesText(work.changes) : ''), expendable: 1 },
      { title: '', cell: ({ gate }) => (gate?.green ? '✓ gate' : ''), paint: paint.green, expendable: 2 },
      { title: '', cell: ({ phase }) => ('since' in phase ? ago(phase.since, nowMs) : ''), paint: paint.dim, expendable: 3 },
    ],
    { width, heading: paint.dim },
  );
  const id = waiting.length === 1 ? shortId(first.id) : 'ID';
  const commands = ['diff', 'approve', 'reject'].map(
    (verb) => `      ${paint.cyan(`fleet task ${verb} ${id}${verb === 'reject' ? ' TEXT' : ''}`)}\n`,
  );
  return `${paint.bold('Waits for your review')}\n${table}${commands.join('')}`;
}

function needsYou({ blocked: all, questions }: Status, look: ViewStyle): string {
  const blocked = all.filter((task) => !isReview(task));
  if (blocked.length + questions.length === 0) return '';
  const { paint, width } = look;
  const room = Math.max(20, width - 14);
  const asked = questions.map(({ id, text, options, taskId }) => {
    const about = taskId === undefined ? '' : paint.dim(` (task ${shortId(taskId)})`);
    return `  ${paint.yellow('?')} ${paint.bold(shortId(id))}  ${truncate(plainLine(text), room)}${about}\n      ${paint.cyan(answerCommand(id, options.length > 0))}\n`;
  });
  const known = new Set<string>(questions.map(({ id }) => id));
  const stuck = blocked
    .filter(({ phase }) => !(phase.state === 'blocked' && phase.block.cause === 'question' && known.has(phase.block.questionId)))
    .map((task) => {
      const what =
        task.phase.state === 'blocked' ? `${plainLine(task.phase.block.who)}: ${plainLine(task.phase.block.what)}` : '';
      const command = unblock(task)
        .map(([text]) => `      ${paint.cyan(text)}\n`)
        .join('');
      return `  ${paint.yellow('!')} ${paint.bold(shortId(task.id))}  ${truncate(plainLine(task.title), room)}\n${indented(wrap(what, Math.max(20, width - 6)), '      ')}\n${command}`;
    });
  return `${paint.bold('Needs you')}\n${[...asked, ...stuck].join('')}`;
}

function running({ running: tasks }: Status, look: ViewStyle): string {
  if (tasks.length === 0) return '';
  const { paint, nowMs, width } = look;
  const table = columns(
    tasks,
    [
      {
        title: '',
        cell: ({ phase }) => `  ${phaseSign(phase.state)}`,
        paint: (text, { phase }) => phasePaint(phase.state, paint)(text),
      },
      { title: '', cell: ({ id }) => shortId(id), paint: paint.bold },
      { title: '', cell: ({ title }) => plainLine(title), least: 16 },
      { title: '', cell: (task) => placeOf(task, look), least: 8, expendable: 2 },
      { title: '', cell: executorOf, least: 8, expendable: 1 },
      ...(tasks.every(({ phase }) => phase.state === 'running')
        ? []
        : [{ title: '', cell: ({ phase }: TaskView) => phase.state, paint: paint.dim, expendable: 3 }]),
      ...(tasks.some(({ usage, now }) => usage || now) ? [takenColumn(look)] : []),
      { title: '', cell: ({ phase }) => ('since' in phase ? elapsedSince(phase.since, nowMs) : ''), align: 'right' },
    ],
    { width, heading: paint.dim },
  );
  return `${paint.bold('Running')}\n${table}`;
}

const takenColumn = ({ paint }: ViewStyle): Column<TaskView> => ({
  title: '',
  cell: ({ usage, now }) =>
    [usage && dollarsText(usage), now?.context && contextText(now.context)].filter((text) => text !== undefined).join(', '),
  paint: paint.dim,
  expendable: 4,
});

function paused({ pauses }: Status, { paint, width, nowMs }: ViewStyle): string {
  if (pauses.length === 0) return '';
  const lines = pauses.map((pause) => {
    const { until, stated, why } = pause;
    const text = `${pausedName(pause)} until ${clockTime(until, nowMs)}, ${ago(until, nowMs)}${stated ? '' : ' (a guess)'}: ${plainLine(why)}`;
    return `  ${paint.yellow('‖')} ${wrap(text, Math.max(20, width - 4)).join('\n    ')}\n`;
  });
  return `${paint.bold('Paused by their provider')}\n${lines.join('')}`;
}

function heldUp({ heldUp: list }: Status, { paint, width }: ViewStyle): string {
  if (list.length === 0) return '';
  const lines = list.map(({ why, tasks, atLeast, first }) => {
    const many = counted(tasks, 'task').replace(' ', atLeast ? '+ ' : ' ');
    const which = tasks === 1 && !atLeast ? `task ${shortId(first)}` : `${many}, first ${shortId(first)}`;
    return `  ${paint.yellow('‖')} ${wrap(`${which}: ${plainLine(why)}`, Math.max(20, width - 4)).join('\n    ')}\n`;
  });
  return `${paint.bold('Not started')}\n${lines.join('')}`;
}

function problems({ problems: list }: Status, { paint, width }: ViewStyle): string {
  if (list.length === 0) return '';
  const lines = list.map(
    (problem) => `  ${paint.red('✗')} ${wrap(plainLine(problem), Math.max(20, width - 4)).join('\n    ')}\n`,
  );
  return `${paint.bold('Problems')}\n${lines.join('')}`;
}
