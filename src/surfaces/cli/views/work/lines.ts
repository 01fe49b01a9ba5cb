import type { OutputOf } from '../../../../contract/call.ts';
import type { TaskView } from '../../../../contract/shapes.ts';
import { plainLine } from '../../terminal/plain.ts';
import { shortId, type ViewStyle } from '../style.ts';
import { taskAgain, taskLine } from '../task/lines.ts';
import { changesText, shortCommit } from './changes.ts';

/** After work was let through: where it goes, and how to see it arrive. */
export const taskLands = (task: TaskView, look: ViewStyle): string =>
  `${taskLine(task, look)}  ${look.paint.dim(`it lands on ${plainLine(task.work?.target ?? 'its target')}; fleet task wait ${shortId(task.id)} tells when`)}\n`;

/** Refused work either goes back to its agent or ends. */
export const taskRejected = (task: TaskView, look: ViewStyle): string =>
  task.phase.state === 'canceled'
    ? `${taskLine(task, look)}  ${look.paint.dim(`its work is kept: fleet task restore ${shortId(task.id)} brings it back`)}\n`
    : taskAgain(task, look);

export const taskVerifies = (task: TaskView, look: ViewStyle): string =>
  `${taskLine(task, look)}  ${look.paint.dim(`fleet task report ${shortId(task.id)} tells what the gate finds`)}\n`;

export function taskCommitted(task: TaskView, look: ViewStyle): string {
  const { work } = task;
  const made =
    work?.tip && work.changes
      ? `  ${shortCommit(work.tip)} on ${plainLine(work.branch)}: ${changesText(work.changes, look.paint)}\n`
      : '';
  return `${taskLine(task, look)}${made}`;
}

export const taskCleaned = (task: TaskView, look: ViewStyle): string =>
  `${taskLine(task, look)}  ${look.paint.dim(`its work is kept: fleet task restore ${shortId(task.id)} brings it back`)}\n`;

export const branchPushed = ({ branch, remote }: OutputOf<'task.push'>, { paint }: ViewStyle): string =>
  `pushed ${paint.bold(plainLine(branch))} to ${plainLine(remote)}\n`;

export function workRestored({ branch, commit, runId }: OutputOf<'task.restore'>, { paint }: ViewStyle): string {
  const from = runId === undefined ? '' : `, the work of run ${shortId(runId)}`;
  return `made the branch ${paint.bold(plainLine(branch))} at ${shortCommit(commit)}${from}\n  ${paint.dim(`git switch ${plainLine(branch)}`)}\n`;
}
