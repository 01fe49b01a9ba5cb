import { z } from 'zod';
import { PhaseName, type TaskView } from '../../contract/shapes.ts';
import { countedAttempts } from '../../domain/task/attempts.ts';
import { msOf } from '../../domain/values.ts';
import { bar, oneLine, since, span } from './words.ts';

/** A task in the few fields a model needs to decide what to do next. */
export const TaskBrief = z.object({
  id: z.string(),
  title: z.string(),
  state: PhaseName,
  project: z.string().optional(),
  executor: z.string().optional(),
  attempts: z.int(),
  elapsedSeconds: z.int().describe('in this state, or from creation to its end'),
  words: z.string().describe('what it waits for, what went wrong, or where its work is'),
});
export type TaskBrief = z.infer<typeof TaskBrief>;

export function briefOf(task: TaskView, nowMs: number): TaskBrief {
  const { id, title, phase, project, executors, attempts } = task;
  const elapsedMs = 'at' in phase ? msOf(phase.at) - msOf(task.createdAt) : nowMs - msOf(phase.since);
  return {
    id,
    title,
    state: phase.state,
    ...(project === undefined ? {} : { project }),
    ...(executors[0] === undefined ? {} : { executor: executors[0] }),
    attempts,
    elapsedSeconds: Math.max(0, Math.round(elapsedMs / 1_000)),
    words: wordsOf(task, nowMs),
  };
}

function wordsOf(task: TaskView, nowMs: number): string {
  const { phase, maxAttempts, work, createdAt } = task;
  const attempts = countedAttempts(task);
  const held = task.heldUp === undefined ? '' : `: ${oneLine(task.heldUp, 300)}`;
  const stopping = task.cancelAsked && 'since' in phase ? ', asked to stop' : '';
  switch (phase.state) {
    case 'draft':
      return 'a draft: not handed over for work yet';
    case 'waiting':
      return phase.on.length > 0 ? `waits for ${phase.on.join(', ')}${held}` : `waits until ${phase.until ?? 'its time'}`;
    case 'queued':
      return `queued for ${since(phase.since, nowMs)}${stopping}${held}`;
    case 'running':
      return `running for ${since(phase.since, nowMs)}${attempts > 1 ? `, attempt ${attempts} of ${maxAttempts}` : ''}${stopping}`;
    case 'verifying':
      return `being verified for ${since(phase.since, nowMs)}${stopping}`;
    case 'merging':
      return `landing for ${since(phase.since, nowMs)}${stopping}`;
    case 'blocked':
      return `blocked, ${oneLine(phase.block.who)} must act: ${oneLine(phase.block.what, 300)}`;
    case 'failed':
      return `failed after ${span(msOf(phase.at) - msOf(createdAt))}: ${oneLine(phase.reason, 300)}`;
    case 'canceled':
      return `canceled after ${span(msOf(phase.at) - msOf(createdAt))}`;
    case 'done':
      return `done after ${span(msOf(phase.at) - msOf(createdAt))}${
        work?.landed ? `, landed on ${work.target} as ${work.landed.commit.slice(0, 10)}` : ''
      }`;
  }
}

export const lineOf = ({ id, title, words }: TaskBrief): string => `${id} "${oneLine(title, 80)}": ${words}`;

export const linesOf = (briefs: readonly TaskBrief[]): string => briefs.map(lineOf).join('\n');

const ENDED = ['done', 'failed', 'canceled', 'blocked'];

/** Nothing more happens to it by itself. */
export const hasEnded = ({ state }: Pick<TaskBrief, 'state'>): boolean => ENDED.includes(state);

/** Bar and one line each. */
export const progressText = (briefs: readonly TaskBrief[]): string =>
  `${bar(briefs.filter(hasEnded).length, briefs.length)}\n${linesOf(briefs)}`;
