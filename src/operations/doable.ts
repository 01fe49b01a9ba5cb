import type { TaskView } from '../contract/shapes.ts';
import { lenderOf } from '../domain/hold/account.ts';
import type { Project } from '../domain/project/project.ts';
import { isFirst } from '../domain/task/failover.ts';
import type { Task } from '../domain/task/task.ts';
import type { Scope, Unready } from './scope.ts';

/** Why a task may not get done as things stand here; empty when nothing is known to be in its way. */
export async function warningsFor(
  task: Task,
  scope: Pick<Scope, 'executors' | 'dispatching'>,
  project?: Project,
): Promise<string[]> {
  const { executor } = await effectiveOf(task, scope, project);
  const [unready, box] = await Promise.all([
    scope.executors.unready(executor),
    task.sandbox ? scope.executors.sandboxProblem() : undefined,
  ]);
  return [
    ...(unready
      ? [`executor ${executor} ${unready.isAbsent ? 'cannot be started here' : 'is not ready'}: ${problemText(unready)}`]
      : []),
    ...(box === undefined ? [] : [`it asks for a sandbox, and ${box}`]),
  ];
}

/** Only as long as none of its agents has begun: afterwards they tell for themselves. */
export const isUnbegun = ({ phase }: Pick<Task, 'phase'>): boolean => ['draft', 'waiting', 'queued'].includes(phase.state);

export const problemText = ({ why, repair }: Unready): string =>
  repair === undefined || repair === '' ? why : `${why}; try: ${repair}`;

/** Executor and model of its next run, as dispatch would choose them, and who chose them. */
export async function effectiveOf(
  task: Task,
  { dispatching }: Pick<Scope, 'dispatching'>,
  project?: Project,
): Promise<NonNullable<TaskView['effective']>> {
  const named = task.executors[task.executorAt ?? 0];
  if (named !== undefined) {
    const model = isFirst(task, lenderOf(named).executor) ? task.model : undefined;
    return { executor: named, executorFrom: 'the task', ...(model === undefined ? {} : { model, modelFrom: 'the task' }) };
  }
  const { executor, model, effort, from } = await dispatching.defaults(task.projectId, project);
  const ofProject = task.effort === undefined && effort !== undefined ? { effort, effortFrom: 'its project' } : {};
  const chosen = { executor, executorFrom: from?.executor ?? 'the settings', ...ofProject };
  if (task.model !== undefined) return { ...chosen, model: task.model, modelFrom: 'the task' };
  return model === undefined ? chosen : { ...chosen, model, modelFrom: from?.model ?? chosen.executorFrom };
}
