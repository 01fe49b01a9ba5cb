import { Fault } from '../../domain/fault.ts';
import type { Project } from '../../domain/project/project.ts';
import type { Task, TaskSpec } from '../../domain/task/task.ts';
import { projects } from '../../store/records/projects.ts';
import type { Scope } from '../scope.ts';

type Isolation = TaskSpec['isolation'];

interface Wanted {
  readonly sandbox?: boolean | undefined;
  /** As somebody said it for this very task; what a project or a setting says gives way. */
  readonly explicit?: Isolation;
  readonly project?: Project | undefined;
}

/** How a task must be kept apart by what it asks for; undefined where project and settings may choose. */
export function isolationFor({ sandbox, explicit, project }: Wanted): Isolation {
  const isRepository = project !== undefined && project.kind !== 'directory';
  if (!isRepository && explicit === 'clone')
    throw new Fault(
      'invalid',
      'isolation clone needs a repository: name a project that is one, or leave it out to work in place in the directory',
    );
  if (!isRepository) return project ? 'in_place' : explicit;
  if (sandbox !== true) return explicit;
  if (explicit === undefined || explicit === 'clone') return 'clone';
  throw new Fault(
    'invalid',
    `a task in a sandbox works in a private clone of ${project.name}, not ${explicit === 'worktree' ? 'in a worktree, which shares its git directory' : 'in place'}: leave isolation out, or leave the sandbox out`,
    { isolation: explicit, project: project.name },
  );
}

/**
 * A task after a change of what it asks for. One that is in a sandbox now works in a private clone, also if it was made when
 * that was not so; one that no longer is keeps its private clone, unless somebody says otherwise.
 */
export async function withTrust(
  task: Task,
  input: { readonly sandbox?: boolean | undefined; readonly isolation?: Isolation },
  scope: Pick<Scope, 'executors' | 'places' | 'reads'>,
): Promise<Task> {
  const isAsked = input.isolation !== undefined || input.sandbox !== undefined || task.sandbox === true;
  if (!isAsked) return task;
  const project = task.projectId === undefined ? undefined : (await projects.get(scope.reads, task.projectId))?.body;
  const isolation = isolationFor({ sandbox: task.sandbox, explicit: input.isolation, project });
  if (task.sandbox === true) await assertSandbox(task, scope);
  return isolation === undefined || isolation === task.isolation ? task : { ...task, isolation };
}

/** Refuses what could only be refused later: a sandbox that cannot be made here, or one in which a repository would be exposed. */
export async function assertSandbox(
  { directory, projectId }: Pick<Task, 'directory' | 'projectId'>,
  scope: Pick<Scope, 'executors' | 'places' | 'reads'>,
): Promise<void> {
  const project = projectId && (await projects.get(scope.reads, projectId))?.body;
  const place = project ? (project.kind === 'directory' ? project.path : undefined) : directory;
  if (place !== undefined) await assertHoldsNone(place, scope);
  const problem = await scope.executors.sandboxProblem();
  if (problem !== undefined) throw new Fault('unavailable', `it asks for a sandbox, and ${problem}`);
}

async function assertHoldsNone(place: string, { places }: Pick<Scope, 'places'>): Promise<void> {
  const around = await places.repositoryAround(place);
  const repository = around ?? (await places.repositoryBelow(place));
  if (repository === undefined) return;
  throw new Fault(
    'invalid',
    `${place} ${around ? 'lies in' : 'holds'} the repository ${repository}, which a task in a sandbox could change from there: add it with \`fleet project add ${repository}\` and name that project, so that it works in a private clone`,
    { directory: place, repository },
  );
}
