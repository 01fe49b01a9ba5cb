import { Fault } from '../../domain/fault.ts';
import type { Project } from '../../domain/project/project.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { SetupSource } from '../../domain/work/setup.ts';
import { startRef } from '../../domain/work/work.ts';
import { levelOf, type Workspace } from '../../domain/work/workspace.ts';
import type { Versioned } from '../../store/records/record.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import type { BackgroundWork } from './background-work.ts';
import { commandRun } from './command-run.ts';
import type { ProjectWorkspace, ProvisionedTree, SetupProduct, WorkDeps } from './deps.ts';
import { hasLanded, isReusable, setupWish } from './reuse.ts';
import { recordTrouble } from './trouble.ts';

/** A workspace somebody waits for. */
interface Waiting {
  readonly workspace: Versioned<Workspace>;
  readonly project: Project | undefined;
  readonly task: Task | undefined;
  readonly setupRun: Run | undefined;
}

interface Around {
  readonly needs: WorkDeps;
  readonly beside: BackgroundWork;
}

/** Lays out the tree of a workspace; it is ready then, or its set-up has to run. */
export async function make({ workspace, project, task }: Waiting, { needs, beside }: Around): Promise<boolean> {
  if (!project) return write(workspace, { ...workspace.body, state: 'failed', why: 'its project is gone' }, needs);
  const site: ProjectWorkspace = { workspace: workspace.body, project };
  const done = await beside.take(`make ${workspace.body.id} ${workspace.version}`, async () => {
    const made = await layOut(site, task, needs);
    // From here on its branch keeps what it begins with.
    if (task && task.dependsOn.length > 0) await needs.gitWork.dropRef(project, startRef(task.id));
    return made;
  });
  if (!done) return false;
  if (done.value.skipped.length > 0)
    needs.log('workspace.skipped', { workspaceId: workspace.body.id, files: done.value.skipped });
  if (task?.trouble) await recordTrouble(task.id, undefined, needs);
  const { setup, setupSource: _before, ...rest } = workspace.body;
  const { isSetUp, source } = done.value;
  const next: Workspace = isSetUp
    ? { ...rest, state: 'ready', ...(setup ? { setup } : {}) }
    : { ...rest, state: project.setup === undefined ? 'ready' : 'setting_up', ...(source ? { setupSource: source } : {}) };
  return write(workspace, next, needs);
}

interface Laid extends ProvisionedTree {
  /** What a set-up would run on; absent where it is not known, or an agent was there before. */
  readonly source?: SetupSource | undefined;
}

/** The tree, with what an earlier set-up made in it only if this one would make the same. */
async function layOut(site: ProjectWorkspace, task: Task | undefined, needs: WorkDeps): Promise<Laid> {
  const { workspace, project } = site;
  const commit = await startOf(site, needs);
  const wanted = await setupWish(project, { commit, trust: levelOf(workspace) }, needs);
  const keepSetup = await isReusable(workspace.setup, wanted, { project, target: task?.work?.target }, needs);
  const laid = await needs.gitWork.provision(site, { keepSetup });
  if (laid.isSetUp && laid.head === commit) return laid;
  // The branch was moved meanwhile: what was made is not of this commit.
  if (laid.isSetUp) return needs.gitWork.provision(site, { keepSetup: false });
  if (!wanted || !laid.isFresh || laid.head !== commit) return laid;
  const { command: _command, ...source } = wanted;
  return { ...laid, source };
}

/** The commit its tree will have: a branch that is there already is continued. */
async function startOf({ workspace: { use }, project }: ProjectWorkspace, { gitWork }: WorkDeps): Promise<string> {
  if (use.kind === 'task') return (await gitWork.commitOf(project, `refs/heads/${use.branch}`)) ?? use.start;
  return use.kind === 'gate' ? use.commit : '';
}

/** Starts the project's set-up command in it. */
export async function setUp({ workspace, project, task }: Waiting, needs: WorkDeps): Promise<boolean> {
  if (!project?.setup || !task) return false;
  const { id, path } = workspace.body;
  const chore = commandRun(
    {
      kind: 'setup',
      taskId: task.id,
      command: project.setup,
      directory: path,
      workspaceId: id,
      timeoutSeconds: needs.workRules().setupSeconds,
    },
    needs,
  );
  const next = { ...workspace.body, setupRun: chore.runId, updatedAt: needs.now() };
  await needs.store.commit([...chore.writes, workspaces.put(next, workspace.version)]);
  return true;
}

/** Notes what the set-up has made, and from what. */
export async function setUpDone({ workspace, project, task, setupRun }: Waiting, { needs, beside }: Around): Promise<boolean> {
  if (!project || !setupRun?.chore) return false;
  const site: ProjectWorkspace = { workspace: workspace.body, project };
  const found = await beside.take(`made ${setupRun.id}`, () => orFault(made(site, task, needs)));
  if (!found) return false;
  if (found.value instanceof Fault) {
    const { setupRun: _run, ...rest } = workspace.body;
    return write(workspace, { ...rest, state: 'failed', why: found.value.message }, needs);
  }
  const { setupRun: _done, setupSource: source, ...rest } = workspace.body;
  const { paths, fingerprint, isLasting } = found.value;
  const setup = { command: setupRun.chore.command, paths: [...paths], fingerprint, ...(source && isLasting ? { source } : {}) };
  return write(workspace, { ...rest, state: 'ready', setup }, needs);
}

async function made(site: ProjectWorkspace, task: Task | undefined, needs: WorkDeps): Promise<SetupProduct> {
  const { workspace, project } = site;
  const { commit } = workspace.setupSource ?? {};
  const isLanded = commit !== undefined && (await hasLanded(commit, { project, target: task?.work?.target }, needs));
  return needs.gitWork.recordSetup(site, { isLanded });
}

/** What the set-up left cannot be made safe: a person has to look, and trying again would change nothing. */
const orFault = <Answer>(work: Promise<Answer>): Promise<Answer | Fault> =>
  work.catch((error: unknown) => {
    if (error instanceof Fault && error.code === 'invalid') return error;
    throw error;
  });

async function write({ version }: Versioned<Workspace>, next: Workspace, { store, now }: WorkDeps): Promise<true> {
  await store.commit([workspaces.put({ ...next, updatedAt: now() }, version)]);
  return true;
}
