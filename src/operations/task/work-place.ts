import { isLead } from '../../domain/authority.ts';
import { Fault } from '../../domain/fault.ts';
import type { Project } from '../../domain/project/project.ts';
import type { Task } from '../../domain/task/task.ts';
import { allHits } from '../../store/queries/every-hit.ts';
import { projectIndex, projects } from '../../store/records/projects.ts';
import { findProject } from '../find.ts';
import type { Scope } from '../scope.ts';

export interface WorkPlace {
  readonly place: Pick<Task, 'projectId' | 'directory'>;
  readonly project?: Project;
}

/** Where the work is to be done: the project that was named, else the one the directory lies in, else the directory itself. */
export async function workPlaceOf(
  asked: { project?: string | undefined; directory?: string | undefined },
  scope: Scope,
): Promise<WorkPlace> {
  if (asked.project !== undefined) return inProject((await findProject(scope, asked.project)).body, scope);
  if (asked.directory === undefined) throw new Fault('invalid', 'say where the work is done: name a project or a directory');
  const place = await scope.places.usable(asked.directory);
  if ('why' in place)
    throw new Fault('invalid', `cannot work in ${asked.directory}: ${place.why}`, { directory: asked.directory });
  const { real } = place;
  const project = await projectAround(real, scope);
  if (project) return inProject(project, scope);
  if (!isLead(scope.caller))
    throw new Fault('forbidden', `${scope.caller.name} is ${scope.caller.role} and can work in projects only: name one`);
  await assertAllowed(real, scope);
  return { place: { directory: real } };
}

/** It may have been added under another allow-list. */
async function inProject(project: Project, scope: Scope): Promise<WorkPlace> {
  await assertAllowed(project.path, scope);
  return { place: { projectId: project.id }, project };
}

/** The innermost project that contains the path. */
export async function projectAround(real: string, { reads }: Scope): Promise<Project | undefined> {
  const known = (await allHits(reads, projectIndex.all)).map(projects.read);
  return known.filter(({ path }) => isInside(real, path)).sort((a, b) => b.path.length - a.path.length)[0];
}

export const isInside = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith('/') ? directory : `${directory}/`);

/** The allow-list is compared by real paths on both sides, so no link leads around it. */
export async function assertAllowed(real: string, { settings, places }: Pick<Scope, 'settings' | 'places'>): Promise<void> {
  const { values, allowLists = [values.allowed_repos] } = settings.current();
  for (const allowed of allowLists.filter((list) => list.length > 0)) {
    const roots = await Promise.all(allowed.map((root) => places.real(root)));
    if (!roots.some((root) => root !== undefined && isInside(real, root)))
      throw new Fault(
        'forbidden',
        `${real} is outside the directories that are allowed (setting allowed_repos: ${allowed.join(', ')})`,
      );
  }
}
