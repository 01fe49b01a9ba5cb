import type { TaskView } from '../../../../contract/shapes.ts';
import { conflictText, isUnchangedSinceRejection, knownConflicts } from '../../../../domain/work/review-facts.ts';
import { ago } from '../../terminal/ages.ts';
import { plainLine } from '../../terminal/plain.ts';
import type { ViewStyle } from '../style.ts';
import { changesText, gateText, shortCommit } from './changes.ts';

const TIMES = ['never', 'once', 'twice'];

/** What a task has made and how far that has come, as lines of its page. */
export function workFacts(task: TaskView, look: ViewStyle): (readonly [string, string | undefined])[] {
  const { paint, nowMs } = look;
  const { work, repairs } = task;
  const approval = work?.approval;
  return [
    ['Branch', work && `${plainLine(work.branch)}, from ${shortCommit(work.base)}`],
    ['Changes', changes(task, look)],
    ['Conflicts', work && conflicts(work, look)],
    ['Rejected', work && rejected(work, look)],
    ['Guarded', work?.guarded && `${work.guarded.map(plainLine).join(', ')}: never lands unseen`],
    ['Secrets', work?.leaks && `one its agent had is ${work.leaks.map(plainLine).join(', ')}: never lands unseen`],
    ['Gate', gateText(task, paint)],
    ['Repairs', repairs === 0 ? undefined : `sent back ${TIMES[repairs] ?? `${repairs} times`}: what it claimed was not so`],
    ['Approved', approval && `${shortCommit(approval.commit)} by ${plainLine(approval.by)} ${ago(approval.at, nowMs)}`],
    ['Landed', landed(task, look)],
  ];
}

function changes({ work, phase }: TaskView, { paint, nowMs }: ViewStyle): string | undefined {
  if (work?.changes) return changesText(work.changes, paint);
  if (!work?.kept || phase.state === 'running') return undefined;
  return `kept as ${shortCommit(work.kept.commit)} ${ago(work.kept.at, nowMs)}`;
}

type Work = NonNullable<TaskView['work']>;

const conflicts = (work: Work, { paint }: ViewStyle): string | undefined =>
  work.landed || knownConflicts(work).length === 0
    ? undefined
    : paint.yellow(plainLine(conflictText(work.target, knownConflicts(work))));

function rejected(work: Work, { paint, nowMs }: ViewStyle): string | undefined {
  if (!work.rejected) return undefined;
  const { by, at, text } = work.rejected;
  const same = isUnchangedSinceRejection(work) ? paint.yellow(', and the very same was handed in again') : '';
  return `by ${plainLine(by)} ${ago(at, nowMs)}${same}: ${plainLine(text)}`;
}

function landed({ work }: TaskView, { paint, nowMs }: ViewStyle): string | undefined {
  if (!work?.landed) return undefined;
  const { landed: arrived, target, pushed } = work;
  const onwards =
    pushed === undefined ? '' : pushed.ok ? ', pushed' : paint.yellow(`, not pushed: ${plainLine(pushed.why ?? '')}`);
  return `${paint.green(shortCommit(arrived.commit))} on ${plainLine(target)}, ${ago(arrived.at, nowMs)}${onwards}`;
}
