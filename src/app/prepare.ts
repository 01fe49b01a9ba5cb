import { join } from 'node:path';
import type { Executor, Job } from '../domain/agent/executor.ts';
import { toolsOf } from '../domain/agent/tools.ts';
import { Fault, isFault } from '../domain/fault.ts';
import { LIMITS } from '../domain/limits.ts';
import { dollarsLeft } from '../domain/run/budget.ts';
import { packetSince } from '../domain/run/packet.ts';
import { promptFor } from '../domain/run/prompt.ts';
import type { Run } from '../domain/run/run.ts';
import { isFirstExecutor } from '../domain/task/failover.ts';
import { isReadOnly, type Task } from '../domain/task/task.ts';
import { portsOf, type Workspace } from '../domain/work/workspace.ts';
import type { PreparedRun } from '../engine/supervise/deps.ts';
import { belowPlace, pathForArguments } from '../platform/agent-path.ts';
import { textSafely } from '../platform/read-safely.ts';
import { cleaned, packetFor } from '../store/queries/packet.ts';
import { sharedBudgets } from '../store/queries/shared-budgets.ts';
import { projects } from '../store/records/projects.ts';
import { tasks } from '../store/records/tasks.ts';
import { workspaces } from '../store/records/workspaces.ts';
import { accountVariables } from './accounts.ts';
import { BUILT_IN } from './built-in.ts';
import { continuationOf } from './continuation.ts';
import { environmentFor } from './environment.ts';
import { mcpAttachment, mcpConfigFile, mcpServer } from './mcp/attachment.ts';
import { bridgesOf, serversFor } from './mcp/servers.ts';
import { notePlaces, notesFor } from './notes.ts';
import { packetFiles } from './packet-files.ts';
import type { FleetServices } from './services.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** One start, on this machine. */
export interface RunToPrepare {
  readonly run: Run;
  readonly task: Task;
  readonly executor: Executor | undefined;
}

/** What a run needs on this machine. */
export async function prepareRun(house: FleetServices, env: Env, start: RunToPrepare): Promise<PreparedRun> {
  const { run, task } = start;
  const places = notePlaces(house.paths.tasks, task.id);
  const runDirectory = join(house.paths.runs, run.id);
  // A command of the project leaves no notes, reads none, and asks nothing of Fleet.
  const [workspace, job, files] = await Promise.all([
    workspaceOf(house, run, task),
    jobOf(house, start),
    run.chore ? [] : packetFiles(house, env, { task, runDirectory }),
  ]);
  const attached = run.chore ? undefined : await mcpAttachment(house, run, { runDirectory, servers: job.servers ?? {} });
  const without = run.chore || start.executor?.can.mcp ? [] : Object.keys(await serversFor(house, task));
  return {
    ...(without.length > 0
      ? { remark: `executor ${run.executor} takes no MCP servers: its agent does without ${without.join(', ')}` }
      : {}),
    steps: attached ? [...notesFor(places, { task, run, job }), ...attached.steps, ...files] : [],
    job,
    env: {
      ...environmentOf(house, env, start),
      ...(run.chore ? {} : accountVariables(house.paths, run, env)),
      FLEET_TASK_ID: task.id,
      FLEET_TASK_DIR: pathForArguments(places.directory),
      FLEET_ARTIFACT_DIR: pathForArguments(places.artifacts),
      FLEET_ATTEMPT: String(run.attempt),
      ...attached?.env,
      ...(workspace ? placeVariables(workspace, task) : {}),
    },
  };
}

/** What the run is asked to do, as it was when it started. */
async function jobOf(house: FleetServices, { run, task, executor }: RunToPrepare): Promise<Job> {
  const directory = join(house.paths.runs, run.id);
  const resultFile = join(directory, 'result.json');
  const whole = 'text' in task.prompt ? task.prompt.text : await house.texts.getBlob(task.prompt.blob);
  if (run.chore)
    return commandJob(run, run.chore, task, {
      promptFile: join(directory, 'prompt.txt'),
      resultFile,
      runDirectory: directory,
    });
  const servers = bridgesOf(executor?.can.mcp ? await serversFor(house, task) : {}, house.paths.path, directory);
  const { before, forked, resume, fork, since } = await continuationOf(house, run, task, executor);
  const prompt = promptFor({
    task,
    prompt: whole,
    packet: packetSince(await packetFor(house.store, task, cleaned(house.output.redactor)), since),
    packetFiles: { directory, diffs: isReadOnly(task) },
    attempt: run.attempt,
    notesDirectory: pathForArguments(notePlaces(house.paths.tasks, task.id).artifacts),
    resultFile,
    before,
    forked,
  });
  return {
    taskId: task.id,
    runId: run.id,
    prompt,
    promptFile: join(directory, 'prompt.txt'),
    resultFile,
    mcpConfig: mcpConfigFile(directory),
    mcp: mcpServer(house.paths.path, directory),
    ...(Object.keys(servers).length > 0 ? { servers } : {}),
    runDirectory: directory,
    notesDirectory: pathForArguments(notePlaces(house.paths.tasks, task.id).artifacts),
    workDirectory: await workDirectory(house, run, task),
    model: run.model,
    effort: run.effort ?? task.effort,
    systemPrompt: task.systemPrompt,
    tools: executor?.can.tools ? withServers(toolsOf(task), Object.keys(servers)) : undefined,
    maxTurns: task.maxTurns,
    maxBudgetUsd: dollarsLeft(task, await sharedBudgets(task, house)),
    ...(task.sandbox ? { sandboxed: true } : {}),
    extraArgs: isFirstExecutor(task, run.executor) ? task.extraArgs : [],
    // In a sandbox each task has a home of its own, and the conversation of another is not in it.
    ...(task.sandbox && fork ? { fork: false } : { resume, fork }),
  };
}

/** A server that is attached may be used. */
const withServers = (tools: Job['tools'], names: readonly string[]): Job['tools'] =>
  tools && [...new Set([...tools, ...names.map((name) => `mcp__${name}__*`)])];

/** Fleet itself adds to what a person may say. */
const MOST_PROMPT = 16 * LIMITS.promptBytes.value;

/** With the prompt it was started with: what its agent is told there no longer waits, and a new prompt would leave it out. */
export async function jobAsStarted(house: FleetServices, start: RunToPrepare): Promise<Job> {
  const job = await jobOf(house, start);
  const prompt = await textSafely(belowPlace(job.promptFile), MOST_PROMPT);
  return prompt === undefined ? job : { ...job, prompt };
}

/** The same of a run long ago, as far as that can still be told: its task or its project may be gone. */
export async function pastJob(house: FleetServices, run: Run, executor: Executor): Promise<Job> {
  const runDirectory = join(house.paths.runs, run.id);
  const bare: Job = {
    taskId: run.taskId,
    runId: run.id,
    prompt: '',
    promptFile: join(runDirectory, 'prompt.txt'),
    resultFile: join(runDirectory, 'result.json'),
    runDirectory,
    workDirectory: run.directory ?? runDirectory,
    extraArgs: [],
    fork: false,
  };
  const task = (await tasks.get(house.store, run.taskId))?.body;
  if (!task) return bare;
  return jobAsStarted(house, { run, task, executor }).catch((error: unknown) => {
    if (!isFault(error, 'not_found')) throw error;
    return bare;
  });
}

/** A command of the project: nothing of the task but where it belongs. */
const commandJob = (
  run: Run,
  chore: NonNullable<Run['chore']>,
  task: Task,
  files: Pick<Job, 'promptFile' | 'resultFile' | 'runDirectory'>,
): Job => ({
  taskId: task.id,
  runId: run.id,
  prompt: chore.command,
  ...files,
  workDirectory: chore.directory,
  extraArgs: [],
  fork: false,
});

async function workspaceOf({ store }: FleetServices, run: Run, task: Task): Promise<Workspace | undefined> {
  const id = run.chore ? run.chore.workspaceId : task.work?.workspaceId;
  const found = id === undefined ? undefined : (await workspaces.get(store, id))?.body;
  return found && found.use.kind !== 'free' && found.use.taskId === task.id ? found : undefined;
}

/** What a dev server or a test needs to know so as not to meet those of other workspaces. */
function placeVariables(workspace: Workspace, { work }: Task): Record<string, string> {
  const { first, count } = portsOf(workspace);
  return {
    FLEET_WORKSPACE: workspace.id,
    FLEET_PORT_FIRST: String(first),
    FLEET_PORT_LAST: String(first + count - 1),
    PORT: String(first),
    ...(work ? { FLEET_BRANCH: work.branch, FLEET_BASE: work.base, FLEET_TARGET: work.target } : {}),
  };
}

export async function workDirectory(house: FleetServices, run: Run, task: Task): Promise<string> {
  const { store } = house;
  const workspace = await workspaceOf(house, run, task);
  if (workspace) return workspace.path;
  if (task.directory !== undefined) return task.directory;
  const project = task.projectId === undefined ? undefined : (await projects.get(store, task.projectId))?.body;
  if (!project) throw new Fault('not_found', `task ${task.id} has no place to work: its project is gone`);
  return project.path;
}

/**
 * A command of the project is no agent: no provider's variables are its own. On a named account only what that names is: a key
 * of the user's own would outrank it.
 */
function environmentOf({ settings }: FleetServices, env: Env, { run, task, executor }: RunToPrepare): Record<string, string> {
  const { values } = settings.current();
  return environmentFor(env, {
    own: run.chore || run.account !== undefined ? [] : (executor?.program?.variables ?? executor?.variables ?? []),
    owned: BUILT_IN.flatMap(({ program }) => program.variables),
    allow: values.env_allow,
    // What is hidden as a file must not be there as a variable.
    isStrict: values.env === 'strict' || task.sandbox === true,
  });
}
