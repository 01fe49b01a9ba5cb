import type { OutputOf } from '../../../../contract/call.ts';
import type { TaskView } from '../../../../contract/shapes.ts';
import { countedAttempts } from '../../../../domain/task/attempts.ts';
import { elapsedSince } from '../../terminal/ages.ts';
import { columns, pairs } from '../../terminal/columns.ts';
import { plainLine } from '../../terminal/plain.ts';
import { phasePaint, phaseSign, shortId, type ViewStyle } from '../style.ts';
import { provingText, shortCommit } from '../work/changes.ts';
import { nextCommands } from './next-commands.ts';

/** One line for each task: how it stands, and why it does not go on. */
export function taskWait({ items }: OutputOf<'task.wait'>, look: ViewStyle): string {
  const { paint, width } = look;
  return columns<TaskView>(
    items,
    [
      {
        title: '',
        cell: ({ phase }) => phaseSign(phase.state),
        paint: (text, { phase }) => phasePaint(phase.state, paint)(text),
      },
      { title: '', cell: ({ id }) => shortId(id), paint: paint.bold },
      { title: '', cell: ({ title }) => plainLine(title), least: 16 },
      { title: '', cell: phaseWord, paint: (text, { phase }) => phasePaint(phase.state, paint)(text) },
      { title: '', cell: (task) => whyText(task, look), paint: paint.dim, least: 16, expendable: 1 },
    ],
    { width, heading: (text) => text },
  );
}

const phaseWord = ({ phase, cancelAsked }: TaskView): string => (cancelAsked && 'since' in phase ? 'stopping' : phase.state);

/** What a reader who waits wants to know: what it waits for, how long it has been, or what went wrong. */
export function whyText(task: TaskView, { nowMs }: Pick<ViewStyle, 'nowMs'>): string {
  if (task.heldUp !== undefined) return plainLine(task.heldUp);
  const { phase, maxAttempts, work } = task;
  const attempts = countedAttempts(task);
  switch (phase.state) {
    case 'draft':
      return 'not handed over yet';
    case 'waiting':
      return phase.on.length > 0 ? `for ${phase.on.map(shortId).join(', ')}` : 'for its time';
    case 'queued':
      return `for ${elapsedSince(phase.since, nowMs)}`;
    case 'verifying':
    case 'merging': {
      const doing = provingText(task);
      return `for ${elapsedSince(phase.since, nowMs)}${doing === undefined ? '' : `, ${doing}`}`;
    }
    case 'running':
      return `for ${elapsedSince(phase.since, nowMs)}${attempts > 1 ? `, attempt ${attempts} of ${maxAttempts}` : ''}`;
    case 'blocked':
      return `${plainLine(phase.block.who)}: ${plainLine(phase.block.what)}`;
    case 'failed':
      return plainLine(phase.reason);
    case 'done':
      return work?.landed ? `${shortCommit(work.landed.commit)} on ${plainLine(work.target)}` : '';
    case 'canceled':
      return '';
  }
}

const stepsShown = 2;

/** For each task that is not done: why, and what to do. */
export function notDone(tasks: readonly TaskView[], look: ViewStyle): string {
  return tasks
    .map((task) => {
      const why = whyText(task, look);
      const word = phaseWord(task);
      const advice = pairs(nextCommands(task).slice(0, stepsShown), {
        width: look.width,
        indent: '       ',
        paint: look.paint.cyan,
      });
      return `fleet: ${shortId(task.id)} is ${word}${why === '' ? '' : `: ${why}`}\n${advice}`;
    })
    .join('');
}
