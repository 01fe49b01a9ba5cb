import { LIMITS } from '../../domain/limits.ts';
import { partOf } from '../../domain/task/part.ts';
import { isFinal, type Task } from '../../domain/task/task.ts';
import { taskIndex, tasks } from '../../store/records/tasks.ts';
import { findTask } from '../find.ts';
import { assertOwn, ownRun } from '../run/own-run.ts';
import { type Handlers, plan, type Scope } from '../scope.ts';
import { loadText } from '../texts.ts';
import { madeTask } from './create.ts';
import { doersOf, inContractWords, placeOf } from './part.ts';
import { viewOf } from './view.ts';

/**
 * A review is a task that waits for the one it looks at. It is a part of it, so an agent can follow what becomes of it, and
 * one level deeper than parts may be, so that the deepest of them can be reviewed too; below a review nothing fits.
 */
export const reviewTaskHandler: Handlers['task.review'] = async ({ id, text, executor, model }, scope) => {
  const reviewed = await taskToReview(id, scope);
  const prompt = promptOf(reviewed, text);
  const standing = await sameReview(reviewed, prompt, scope);
  if (standing) return plan(await viewOf(standing, scope));
  const asked = { kind: 'review', ...(executor ? { executors: executor } : {}), ...(model ? { model } : {}) } as const;
  // A person may have anybody look at it.
  const { executors: own, ...parent } = reviewed;
  const judge = scope.caller.run ? reviewed : { ...parent, executors: executor ? [] : own };
  const doers = scope.caller.run && (await doersOf((await ownRun(scope)).run.body, reviewed, { asked: executor, scope }));
  const wish = partOf(judge, { ...asked, integration: 'none', strategy: 'inherit', expectsChanges: false }, doers);
  return madeTask(
    {
      ...inContractWords(wish),
      ...placeOf(reviewed),
      title: `Review: ${reviewed.title}`.slice(0, LIMITS.titleCharacters.value),
      prompt,
      after: [reviewed.id],
      parent: reviewed.id,
      draft: false,
    },
    scope,
    { reviews: reviewed.id },
  );
};

async function taskToReview(id: string | undefined, scope: Scope): Promise<Task> {
  if (!scope.caller.run) return (await findTask(scope, id ?? '')).body;
  const { task } = await ownRun(scope);
  assertOwn(id, task.body.id);
  return task.body;
}

/** What is found at the time it begins is put before the reviewer then: report, branch and commits. */
const promptOf = ({ id, title }: Task, text: string | undefined): string =>
  [
    `Review the work of task ${id}: ${title}`,
    ...(text === undefined || text.trim() === '' ? [] : [text]),
    'Change nothing. Say in your report what is wrong, how bad it is and where, and what is good as it is.',
  ].join('\n\n');

/** Asking twice for the same review is asking once, until it has ended. */
async function sameReview({ id }: Task, prompt: string, scope: Scope): Promise<Task | undefined> {
  const parts = (await scope.reads.scan({ index: taskIndex.parent(id), limit: LIMITS.subTasks.value })).map(tasks.read);
  const open = parts.filter(({ reviews, phase }) => reviews === id && !isFinal(phase));
  for (const task of open) if ((await loadText(scope, task.prompt)) === prompt) return task;
  return undefined;
}
