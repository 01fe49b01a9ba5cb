import type { TaskView } from '../../contract/shapes.ts';
import { toolsOf } from '../../domain/agent/tools.ts';
import { accountRefOf } from '../../domain/hold/account.ts';
import { attachedServers, CONTEXT_MODE } from '../../domain/project/mcp-servers.ts';
import type { Project } from '../../domain/project/project.ts';
import { isFirstExecutor } from '../../domain/task/failover.ts';
import type { Task } from '../../domain/task/task.ts';
import { projects } from '../../store/records/projects.ts';
import type { ExecutorProblem, Scope } from '../scope.ts';

/** Why a task may not get done as things stand here; empty when nothing is known to be in its way. */
export async function warningsFor(
  task: Task,
  scope: Pick<Scope, 'executors' | 'dispatching' | 'reads'>,
  project?: Project,
): Promise<string[]> {
  const { executor } = await effectiveOf(task, scope, project);
  const [unready, box, servers] = await Promise.all([
    scope.executors.unready(executor),
    task.sandbox ? scope.executors.sandboxProblem() : undefined,
    serverWarnings(task, executor, scope, project),
  ]);
  return [
    ...(unready
      ? [`executor ${executor} ${unready.isAbsent ? 'cannot be started here' : 'is not ready'}: ${problemText(unready)}`]
      : []),
    ...(box === undefined ? [] : [`it asks for a sandbox, and ${box}`]),
    ...servers,
  ];
}

/** MCP servers of its project, or context mode, that its agent will not get. */
async function serverWarnings(
  task: Task,
  executor: string,
  { executors, reads }: Pick<Scope, 'executors' | 'reads'>,
  given?: Project,
): Promise<string[]> {
  const wantsContext = task.contextMode === 'on';
  const project = given ?? (task.projectId === undefined ? undefined : (await projects.get(reads, task.projectId))?.body);
  const wanted = [...Object.keys(project?.mcpServers ?? {}), ...(wantsContext ? [CONTEXT_MODE] : [])];
  if (wanted.length === 0) return [];
  if (!(await executors.takesServers(executor)))
    return [`executor ${executor} takes no MCP servers: its agent does without ${wanted.join(', ')}`];
  const attached = attachedServers(project?.mcpServers ?? {}, { tools: toolsOf(task), contextMode: wantsContext });
  const left = wanted.filter((name) => !Object.hasOwn(attached, name));
  const absent =
    wantsContext && attached[CONTEXT_MODE]?.command === CONTEXT_MODE ? await executors.contextModeProblem() : undefined;
  return [
    ...(left.length === 0
      ? []
      : [
          `its tools are restricted, so its agent does without the MCP servers ${left.join(', ')}; to allow one: --tool 'mcp__NAME__*'`,
        ]),
    ...(absent === undefined ? [] : [`it asks for context mode, and ${absent}`]),
  ];
}

/** Only as long as none of its agents has begun: afterwards they tell for themselves. */
export const isUnbegun = ({ phase }: Pick<Task, 'phase'>): boolean => ['draft', 'waiting', 'queued'].includes(phase.state);

export const problemText = ({ why, repair }: ExecutorProblem): string =>
  repair === undefined || repair === '' ? why : `${why}; try: ${repair}`;

/** Executor and model of its next run, as dispatch would choose them, and who chose them. */
export async function effectiveOf(
  task: Task,
  { dispatching }: Pick<Scope, 'dispatching'>,
  project?: Project,
): Promise<NonNullable<TaskView['effective']>> {
  const named = task.executors[task.executorAt ?? 0];
  if (named !== undefined) {
    const model = isFirstExecutor(task, accountRefOf(named).executor) ? task.model : undefined;
    return { executor: named, executorFrom: 'the task', ...(model === undefined ? {} : { model, modelFrom: 'the task' }) };
  }
  const { executor, model, effort, from } = await dispatching.defaults(task.projectId, project);
  const ofProject = task.effort === undefined && effort !== undefined ? { effort, effortFrom: 'its project' } : {};
  const chosen = { executor, executorFrom: from?.executor ?? 'the settings', ...ofProject };
  if (task.model !== undefined) return { ...chosen, model: task.model, modelFrom: 'the task' };
  return model === undefined ? chosen : { ...chosen, model, modelFrom: from?.model ?? chosen.executorFrom };
}
