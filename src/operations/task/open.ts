import { Fault } from '../../domain/fault.ts';
import { executorRefOf } from '../../domain/hold/account.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import { hostNameOf } from '../../store/records/hosts.ts';
import { projects } from '../../store/records/projects.ts';
import { runIndex, runs } from '../../store/records/runs.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import { findTask } from '../find.ts';
import { type Handlers, plan, type Scope } from '../scope.ts';

export const openTaskHandler: Handlers['task.open'] = async ({ id, files }, scope) => {
  const task = (await findTask(scope, id)).body;
  const { run, session } = await conversationOf(task, scope);
  const directory = await placeOf(task, scope);
  const start = await scope.executors.interactive({ task, run, session, directory, files });
  if (!start)
    throw refused(
      task,
      `${run.executor} has no form for people: its conversation is gone on with by its agent alone`,
      resuming(task),
    );
  return plan({
    taskId: task.id,
    runId: run.id,
    executor: run.executor,
    directory,
    command: start.command,
    args: [...start.args],
    env: { ...start.env },
    files: start.files.map((file) => ({ ...file })),
    filesIn: files,
  });
};

const RUNS_LOOKED_AT = 50;

/** The newest that an agent led, while nobody leads it. */
async function conversationOf(task: Task, { reads, home }: Scope): Promise<{ run: Run; session: string }> {
  const { phase } = task;
  const all = (await reads.scan({ index: runIndex.task(task.id), limit: RUNS_LOOKED_AT, reverse: true })).map(runs.read);
  const live = all.find((run) => run.phase.state !== 'ended');
  const canceling = `fleet task cancel ${task.id} ends it, and keeps what it has done`;
  if (live) throw refused(task, `run ${live.id} is at work on it`, canceling);
  if (phase.state === 'waiting' || phase.state === 'queued' || phase.state === 'verifying' || phase.state === 'merging')
    throw refused(task, `it is ${phase.state}, and an agent may begin at any moment`, canceling);
  const led = all.flatMap((run) => (run.kind === 'agent' && run.watch?.session ? [{ run, session: run.watch.session }] : []));
  const [newest] = led;
  if (!newest) throw refused(task, 'no agent has led a conversation about it yet');
  if (task.sandbox) throw refused(task, 'its agent works in a sandbox, and its conversation lies in there', resuming(task));
  // The variables of an account may be keys, and no answer holds one.
  if (newest.run.account !== undefined)
    throw refused(
      task,
      `its conversation was led on the account ${executorRefOf(newest.run)}, and yours is another`,
      resuming(task),
    );
  const here = await home.host();
  if (newest.run.host !== here)
    throw refused(
      task,
      `its conversation lies on ${await hostNameOf(reads, newest.run.host)}, and this is ${await hostNameOf(reads, here)}`,
    );
  return newest;
}

/** Where its agent worked: a conversation belongs to that directory. */
async function placeOf(task: Task, scope: Scope): Promise<string> {
  const { work } = task;
  const path = work ? await workspaceOf(task, scope) : (task.directory ?? (await projectPath(task, scope)));
  if (path !== undefined && (await scope.places.real(path)) !== undefined) return path;
  if (work)
    throw refused(
      task,
      'its workspace is gone',
      `fleet task restore ${task.id} brings its work back as a branch; fleet task fork ${task.id} lets an agent go on with both`,
    );
  throw refused(task, `${path ?? 'its project'} is gone`);
}

async function workspaceOf(task: Task, { reads, home }: Scope): Promise<string | undefined> {
  const id = task.work?.workspaceId;
  const found = id === undefined ? undefined : (await workspaces.get(reads, id))?.body;
  const isOwn =
    found?.use.kind === 'task' && found.use.taskId === task.id && found.state === 'ready' && found.host === (await home.host());
  return isOwn ? found.path : undefined;
}

const projectPath = async ({ projectId }: Task, { reads }: Scope): Promise<string | undefined> =>
  projectId === undefined ? undefined : (await projects.get(reads, projectId))?.body.path;

const resuming = ({ id }: Task): string => `fleet task resume ${id} 'what to do' lets its agent go on`;

const refused = ({ id }: Task, why: string, hint?: string): Fault =>
  new Fault('conflict', `task ${id} cannot be opened: ${why}`, hint === undefined ? {} : { hint });
