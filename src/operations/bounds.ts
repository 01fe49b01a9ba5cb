import { type Caller, isUnbounded, OWNER_ID, ROLES, type Role } from '../domain/authority.ts';
import { type Bound, boundsOf, boundsViolation, nameExecutors, withBoundDefaults } from '../domain/bounds/bounds.ts';
import { Fault } from '../domain/fault.ts';
import type { Project } from '../domain/project/project.ts';
import { makersOf, type Task } from '../domain/task/task.ts';
import { projects } from '../store/records/projects.ts';
import type { Scope } from './scope.ts';
import { effectiveOf } from './task/doable.ts';

/* What callers may start is decided in `domain/bounds`; here is who asks for what. */

interface Asked {
  readonly sandbox?: boolean | undefined;
  readonly maxBudgetUsd?: number | undefined;
  readonly team?: string | undefined;
}

interface Around {
  /** Those it names; none: the default one. */
  readonly executors: readonly string[];
  readonly extraArgs?: readonly string[] | undefined;
  readonly project?: Project | undefined;
  /** What it is a part of, or a copy of. */
  readonly of?: Pick<Task, 'creatorRole' | 'heldAs' | 'team'> | undefined;
}

/** What a new task asks for, with what bounds add to it; refused where it lies outside of them. No row is read for it. */
export async function withinBounds<Wish extends Asked>(wish: Wish, around: Around, scope: Scope): Promise<Wish> {
  const { project, of, executors, extraArgs } = around;
  const bounds = boundsOf(
    { roles: [...rolesOf(scope.caller), ...(of ? makersOf(of) : [])], teams: [wish.team, of?.team, scope.caller.team], project },
    scope.settings.current().values,
  );
  if (bounds.length === 0) return wish;
  const filled = withBoundDefaults(wish, bounds);
  const refs = executors.length > 0 || !nameExecutors(bounds) ? executors : [await defaultOf(project, scope)];
  refuse(boundsViolation({ ...filled, extraArgs }, refs, bounds));
  return filled;
}

const defaultOf = async (project: Project | undefined, { dispatching }: Scope): Promise<string> =>
  (await dispatching.defaults(project?.id, project)).executor;

/** A task as it is about to be changed, with what bounds add to it. */
export async function editedWithinBounds(task: Task, scope: Scope): Promise<Task> {
  const bounds = await boundsOn(task, scope);
  if (bounds.length === 0) return task;
  const filled = withBoundDefaults(task, bounds);
  refuse(boundsViolation(filled, await executorsOf(filled, bounds, scope), bounds));
  return filled;
}

/** Whoever sends an agent on is held to the same as whoever makes its task. */
export async function assertWithinBounds(task: Task, scope: Scope): Promise<void> {
  const bounds = await boundsOn(task, scope);
  if (bounds.length > 0) refuse(boundsViolation(task, await executorsOf(task, bounds, scope), bounds));
}

/**
 * Whoever takes a task into its own hands names the commit that its gate runs: where the sandbox is required, that is no way
 * to have it run outside.
 */
export async function assertGateWithinBounds(task: Task, scope: Scope): Promise<void> {
  const { sandbox } = task;
  const bounds = (await boundsOn(task, scope)).map(({ of, sandbox: needed }) => ({ of, sandbox: needed }));
  refuse(boundsViolation({ sandbox }, [], bounds));
}

/** All that hold for a task and for whoever asks. */
export async function boundsOn(task: Task, { caller, reads, settings }: Scope): Promise<readonly Bound[]> {
  const project = task.projectId === undefined ? undefined : (await projects.get(reads, task.projectId))?.body;
  return boundsOf(
    { roles: [...rolesOf(caller), ...makersOf(task)], teams: [task.team, caller.team], project },
    settings.current().values,
  );
}

async function executorsOf(task: Task, bounds: readonly Bound[], scope: Scope): Promise<readonly string[]> {
  if (!nameExecutors(bounds)) return [];
  return task.executors.length > 0 ? task.executors : [(await effectiveOf(task, scope)).executor];
}

function refuse(outside: string | undefined): void {
  if (outside === undefined) return;
  throw new Fault('forbidden', outside, {
    hint: '`fleet config show bounds_role`, `bounds_team` and `fleet project show` tell what holds',
  });
}

/** A run is held to what its task is, and has no role of its own. */
const roleOf = ({ role }: Caller): Role | undefined => ROLES.find((one) => one === role);
const rolesOf = (caller: Caller): readonly (Role | undefined)[] => [roleOf(caller), ...(caller.heldAs ?? [])];

/** Kept with what is made: its bounds hold when it is started, too. */
export const creatorRoleOf = (caller: Caller): Role | undefined => (caller.id === OWNER_ID ? undefined : roleOf(caller));

/** A bound that whoever is held to it could lift would be none. */
export function assertMayBound(fields: object, { caller }: Scope): void {
  const bound = ['allowExecutors', 'sandbox', 'maxBudgetUsd'].find((name) => name in fields);
  if (bound === undefined || isUnbounded(caller)) return;
  throw new Fault('forbidden', `${caller.name} is ${caller.role}: only an admin changes what the tasks of a project are held to`);
}

/** What a project has run is run as the owner of the fleet: whoever could name it could do whatever the owner can. */
export function assertMayName(fields: object, { caller }: Scope): void {
  const named = ['setup', 'verify', 'mcpServers'].find((name) => name in fields);
  if (named === undefined || (caller.role === 'admin' && caller.team === undefined)) return;
  const whose = `${caller.name} is ${caller.role}${caller.team === undefined ? '' : ` of team ${caller.team}`}`;
  throw new Fault(
    'forbidden',
    `${whose}: ${named} of a project runs as the owner of the fleet, and only an admin without a team sets it`,
  );
}
