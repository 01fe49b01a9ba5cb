import { boundsOf, boundsViolation } from '../../domain/bounds/bounds.ts';
import { ANY_PROGRAM_EXECUTOR, SCRIPTED_EXECUTOR, SCRIPTED_IS_OFF } from '../../domain/executors.ts';
import { executorRefOf } from '../../domain/hold/account.ts';
import type { Run } from '../../domain/run/run.ts';
import { type Block, makersOf, type Task } from '../../domain/task/task.ts';
import { projects } from '../../store/records/projects.ts';
import type { SuperviseDeps } from './deps.ts';

/** Why it may not be started as things stand now, whatever held when its task was made. */
export async function outOfBounds(run: Run, task: Task, { store, startRules }: SuperviseDeps): Promise<Block | undefined> {
  const rules = startRules();
  // What it does was looked at when its agent was started; its own program is the project's.
  if (run.chore) return undefined;
  if (run.executor === SCRIPTED_EXECUTOR && !rules.scripted)
    return block(task, `executor ${SCRIPTED_EXECUTOR} ${SCRIPTED_IS_OFF.why}`);
  if (run.executor === ANY_PROGRAM_EXECUTOR && (task.creatorRole ?? 'admin') !== 'admin')
    return block(task, `only the owner of the fleet has ${ANY_PROGRAM_EXECUTOR} start a program that a task names`);
  const project = task.projectId === undefined ? undefined : (await projects.get(store, task.projectId))?.body;
  const bounds = boundsOf({ roles: makersOf(task), teams: [task.team], project }, rules);
  const outside = boundsViolation(task, [executorRefOf(run)], bounds);
  return outside === undefined ? undefined : block(task, outside);
}

const block = ({ id }: Task, why: string): Block => ({
  cause: 'bounds',
  who: 'you',
  what: `${why}; change the task with \`fleet task edit\` or the bounds, then \`fleet task retry ${id.slice(-8)}\``,
});
