import { Fault } from '../../domain/fault.ts';
import type { Project } from '../../domain/project/project.ts';
import type { Holder, Task } from '../../domain/task/task.ts';
import { projects } from '../../store/records/projects.ts';
import type { Versioned } from '../../store/records/record.ts';
import type { Scope } from '../scope.ts';

type Claim = Extract<Holder, { readonly kind: 'claim' }>;

interface Said {
  readonly commit?: string | undefined;
  readonly changes?: boolean | undefined;
}

/** Where the target branch is when somebody takes the task. In a plain directory, and in place, nothing can be compared later. */
export async function claimBase(task: Task, scope: Scope): Promise<Pick<Claim, 'base'>> {
  const project = await repositoryOf(task, scope);
  if (!project || task.phase.state !== 'queued') return {};
  const { branch, commit } = await scope.work.target(project, task.targetBranch ?? project.targetBranch);
  return { base: { ...(branch === undefined ? {} : { branch }), ...(commit === undefined ? {} : { commit }) } };
}

/** The change that whoever claimed the task has made, or a refusal that says where it was looked for. */
export async function changeOf(
  task: Task,
  { base }: Claim,
  said: Said,
  scope: Scope,
): Promise<{ readonly commit?: string; readonly data?: Record<string, unknown> }> {
  if (said.changes === false && said.commit !== undefined)
    throw new Fault('invalid', `commit: ${said.commit} is a change, and changes says that there is none: leave one of them out`);
  const project = base && (await repositoryOf(task, scope));
  if (!project) {
    if (said.commit === undefined && said.changes !== true) return {};
    const what = said.commit === undefined ? 'changes' : 'commit';
    throw new Fault('invalid', `${what}: task ${task.id} is done in place: no commit was remembered to compare with`);
  }
  if (said.changes === false) return { data: { changes: false } };
  const isExpected = said.changes ?? task.expectsChanges;
  if (said.commit === undefined && !isExpected) return {};
  const { commit, name } = await workIn(project, base.branch ?? task.targetBranch ?? project.targetBranch, said.commit, scope);
  const files = await filesBetween(project, base.commit, commit, scope);
  if (commit === undefined || files === 0) throw nothingThere(task, project, { base, commit, name });
  return {
    ...(said.commit === undefined ? {} : { commit }),
    data: { commit, ...(base.commit ? { base: base.commit } : {}), ...(files === undefined ? {} : { files }) },
  };
}

/** The claim tells which commit is its work, so that this one is proved. */
export function named(seen: Versioned<Task>, holder: Claim, commit: string | undefined): Versioned<Task> {
  const { phase } = seen.body;
  if (commit === undefined || phase.state !== 'running') return seen;
  return { ...seen, body: { ...seen.body, phase: { ...phase, holder: { ...holder, commit } } } };
}

async function repositoryOf({ projectId, isolation }: Task, { reads }: Scope): Promise<Project | undefined> {
  const project = projectId && isolation !== 'in_place' && (await projects.get(reads, projectId))?.body;
  return project && project.kind !== 'directory' ? project : undefined;
}

async function workIn(project: Project, target: string | undefined, ref: string | undefined, { work }: Scope) {
  if (ref === undefined) {
    const { branch, commit } = await work.target(project, target);
    return { commit, name: branch ?? target ?? 'the target branch' };
  }
  const commit = await work.commit(project, ref);
  if (commit === undefined) throw new Fault('invalid', `commit: there is no branch or commit ${ref} in ${project.path}`);
  return { commit, name: ref };
}

/** Undefined: there is a commit now, and nothing left to compare it with. */
async function filesBetween(project: Project, base: string | undefined, tip: string | undefined, { work }: Scope) {
  if (base === undefined || tip === undefined) return undefined;
  if (base === tip) return 0;
  return (await work.has(project, base)) ? (await work.totals(project, { base, tip })).files : undefined;
}

interface Looked {
  readonly base: NonNullable<Claim['base']>;
  readonly commit: string | undefined;
  readonly name: string;
}

function nothingThere({ id }: Task, { path }: Project, { base, commit, name }: Looked): Fault {
  const before = short(base.commit);
  const found =
    commit === undefined
      ? `has no commit in ${path}`
      : commit === base.commit
        ? `in ${path} is at ${before}, as it was at the claim`
        : `in ${path} is at ${short(commit)} and adds no change to ${before}, where the target was at the claim`;
  const ways = `Commit your work there, or name its branch with --commit; if nothing had to change, say so: fleet task complete ${id} --no-changes --summary WHY`;
  return new Fault('conflict', `task ${id} expects a change and has none: ${name} ${found}. ${ways}`);
}

const short = (commit: string | undefined): string => commit?.slice(0, 12) ?? 'nothing';
