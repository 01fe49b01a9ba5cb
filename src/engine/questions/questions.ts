import type { Question } from '../../domain/question/question.ts';
import { withdrawnQuestion } from '../../domain/question/question.ts';
import type { Run } from '../../domain/run/run.ts';
import { isFinal, type Task } from '../../domain/task/task.ts';
import type { QuestionId, RunId, TaskId } from '../../domain/values.ts';
import type { Write } from '../../store/port.ts';
import { allHits } from '../../store/queries/every-hit.ts';
import { changeWrites } from '../../store/records/journal.ts';
import { questionIndex, questions } from '../../store/records/questions.ts';
import { runIndex, runs } from '../../store/records/runs.ts';
import { tasks } from '../../store/records/tasks.ts';
import type { Controller } from '../controller.ts';
import type { QuestionDeps } from './deps.ts';
import { type About, takePage } from './take-page.ts';

/** Pages of tasks that run or wait for an answer are glanced at this often, and however much happens not more often than four times as often. */
const GLANCE_MS = 2_000;
const SOONEST_MS = GLANCE_MS / 4;
const IDLE_MS = 30_000;

interface Site extends About {
  readonly stamp: string;
  /** What of it the store knows; when that changes, the page has to tell it. */
  readonly told: string;
}

export interface QuestionView {
  /** How many tasks have a page that may change, also where it is still to be laid out. */
  readonly watched: number;
  /** It was looked at a moment ago: nothing was seen this time. */
  readonly tooSoonMs?: number;
  readonly sites: readonly Site[];
  /** Questions of tasks that are over. */
  readonly moot: readonly { readonly id: QuestionId; readonly why: string }[];
}

export type QuestionAction =
  | { readonly type: 'page'; readonly site: Site }
  | { readonly type: 'withdraw'; readonly id: QuestionId; readonly why: string };

interface Known {
  readonly about: Map<TaskId, { runId?: RunId; told: string }>;
  readonly moot: QuestionView['moot'];
}

/** Keeps the pages of questions and the store the same, and withdraws what nobody needs to answer any more. */
export function questionPages(needs: QuestionDeps): Controller<QuestionView, QuestionAction> {
  let known: Known = { about: new Map(), moot: [] };
  let isOld = true;
  let lookedAt = Number.NEGATIVE_INFINITY;
  /** What was last made of each page, and since when it has looked as it does. */
  const taken = new Map<TaskId, string>();
  const since = new Map<TaskId, { stamp: string; at: number }>();
  needs.commitFeed?.subscribe({
    own: (writes) => {
      if (writes.some(isAbout)) isOld = true;
    },
    other: () => {
      isOld = true;
    },
  });
  return {
    name: 'questions',
    everyMs: IDLE_MS,
    wakesOn: isAbout,
    observe: async () => {
      const now = needs.elapsed();
      if (now - lookedAt < SOONEST_MS) return { sites: [], moot: [], watched: 0, tooSoonMs: SOONEST_MS - (now - lookedAt) };
      lookedAt = now;
      // Before the look: what happens while it is under way counts for the next.
      if (isOld) {
        isOld = needs.commitFeed === undefined;
        known = await look(needs).catch((error: unknown) => {
          isOld = true;
          throw error;
        });
      }
      const { about, moot } = known;
      for (const id of since.keys()) if (!about.has(id)) for (const map of [since, taken]) map.delete(id);
      return { sites: [...about].flatMap(([taskId, one]) => glance(taskId, one, { needs, since })), moot, watched: about.size };
    },
    decide: ({ sites, moot }) => [
      ...moot.map((one) => ({ type: 'withdraw', ...one }) as const),
      ...sites
        .filter((site) => isToBeTaken(site) && taken.get(site.taskId) !== markOf(site))
        .map((site) => ({ type: 'page', site }) as const),
    ],
    act: async (action) => {
      if (action.type === 'withdraw') return withdraw(action, needs);
      const { site } = action;
      taken.set(site.taskId, markOf(site));
      // It is looked at again as soon as it has another stamp, which our own writing gives it too.
      await takePage(site, needs).catch((error: unknown) => {
        taken.delete(site.taskId);
        throw error;
      });
      return false;
    },
    dueInMs: ({ watched, tooSoonMs }) => tooSoonMs ?? (watched > 0 ? GLANCE_MS : undefined),
  };
}

/** The births and ends of runs, the ends of tasks, and all of questions. */
function isAbout({ op, key, ...write }: Write): boolean {
  if (key.kind === questions.kind) return true;
  if (key.kind === tasks.kind) return op === 'delete' || (op === 'put' && isFinal((write as { body: Task }).body.phase));
  if (key.kind !== runs.kind || op !== 'put') return false;
  const { phase, seq } = (write as { body: Run }).body;
  return phase.state === 'ended' || seq === 1;
}

/** A page that is being written is left alone, unless there is something to put onto it. */
const isToBeTaken = (site: Site): boolean => site.isFinal || site.hasOpen;

const markOf = ({ stamp, told, isFinal: settled }: Site): string => `${stamp} ${settled} ${told}`;

interface Glancing {
  readonly needs: QuestionDeps;
  readonly since: Map<TaskId, { stamp: string; at: number }>;
}

/** What is being written now is taken once it has stayed the same for a while. */
function glance(taskId: TaskId, { runId, told }: { runId?: RunId; told: string }, { needs, since }: Glancing): Site[] {
  const stamp = needs.pages.stamp(taskId);
  if (stamp === undefined) return [];
  const before = since.get(taskId);
  const now = needs.elapsed();
  if (before?.stamp !== stamp) since.set(taskId, { stamp, at: now });
  const at = before?.stamp === stamp ? before.at : now;
  return [{ taskId, runId, told, stamp, hasOpen: told !== '', isFinal: now - at >= SOONEST_MS }];
}

async function look({ store, host }: QuestionDeps): Promise<Known> {
  const [pending, live] = await Promise.all([allHits(store, questionIndex.pending), allHits(store, runIndex.live(host))]);
  const about: Known['about'] = new Map();
  for (const { body } of live) {
    const { taskId, id, kind } = body as Run;
    if (kind === 'agent') about.set(taskId, { runId: id, told: '' });
  }
  const moot: { id: QuestionId; why: string }[] = [];
  for (const { body, version } of pending) {
    const { id, taskId } = body as Question;
    if (!taskId) continue;
    const task = (await store.get(tasks.key(taskId)))?.body as Task | undefined;
    if (!task || isFinal(task.phase)) moot.push({ id, why: `task ${taskId} is ${task?.phase.state ?? 'gone'}` });
    else about.set(taskId, { ...about.get(taskId), told: `${about.get(taskId)?.told ?? ''}${version} ` });
  }
  return { about, moot };
}

async function withdraw({ id, why }: { id: QuestionId; why: string }, { store, now }: QuestionDeps): Promise<boolean> {
  const seen = await questions.get(store, id);
  if (seen?.body.state !== 'pending') return false;
  const at = now();
  const note = { what: 'withdrawn', why };
  await store.commit(
    changeWrites(questions, seen, withdrawnQuestion(seen.body, { by: 'fleet', at, why }), { author: { by: 'fleet', at }, note }),
  );
  return true;
}
