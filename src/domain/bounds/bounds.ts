import type { Role } from '../authority.ts';
import type { Project } from '../project/project.ts';
import type { Settings } from '../settings.ts';

/* Bounds on what may be started: executors, sandbox and budget for a role, a team or a project. */

/** What one bound demands of a task. An absent field demands nothing. */
interface Limits {
  /** The only executors allowed, each with its account unless that is the default one. */
  readonly executors?: readonly string[] | undefined;
  readonly sandbox?: 'required' | undefined;
  readonly maxBudgetUsd?: number | undefined;
}

/** A bound that applies, and its owner: `role worker`, `team web`, `project shop`. */
export interface Bound extends Limits {
  readonly of: string;
}

/** The roles, teams and project whose bounds apply to a task. */
interface BoundOwners {
  readonly roles: readonly (Role | undefined)[];
  readonly teams: readonly (string | undefined)[];
  readonly project?: Pick<Project, 'name' | 'allowExecutors' | 'sandbox' | 'maxBudgetUsd'> | undefined;
}

export type BoundSettings = Pick<Settings, 'bounds_role' | 'bounds_team'>;

/** Every bound that applies to the task; the task must keep them all. */
export function boundsOf({ roles, teams, project }: BoundOwners, { bounds_role, bounds_team }: BoundSettings): readonly Bound[] {
  const set = [
    ...distinct(roles).map((role) => ['role', role, bounds_role[role]] as const),
    ...distinct(teams).map((team) => ['team', team, Object.hasOwn(bounds_team, team) ? bounds_team[team] : undefined] as const),
  ];
  return [
    ...set.flatMap(([kind, name, bound]) =>
      bound
        ? [
            {
              of: `${kind} ${name}`,
              executors: bound.executors,
              sandbox: bound.sandbox,
              maxBudgetUsd: bound.max_budget_usd,
            },
          ]
        : [],
    ),
    ...(project && isBounded(project)
      ? [
          {
            of: `project ${project.name}`,
            executors: project.allowExecutors,
            sandbox: project.sandbox,
            maxBudgetUsd: project.maxBudgetUsd,
          },
        ]
      : []),
  ];
}

const isBounded = ({ allowExecutors, sandbox, maxBudgetUsd }: NonNullable<BoundOwners['project']>): boolean =>
  allowExecutors !== undefined || sandbox !== undefined || maxBudgetUsd !== undefined;

const distinct = <Value>(values: readonly (Value | undefined)[]): Value[] => [
  ...new Set(values.filter((value) => value !== undefined)),
];

interface BoundedFields {
  readonly sandbox?: boolean | undefined;
  readonly maxBudgetUsd?: number | undefined;
  readonly extraArgs?: readonly string[] | undefined;
}

/** Fills in sandbox and budget from the bounds if the request has none. A value outside the bounds stays, to be refused. */
export function withBoundDefaults<Asked extends BoundedFields>(wish: Asked, bounds: readonly Bound[]): Asked {
  const most = Math.min(...bounds.map(({ maxBudgetUsd = Infinity }) => maxBudgetUsd));
  const needsSandbox = wish.sandbox === undefined && bounds.some(({ sandbox }) => sandbox === 'required');
  return {
    ...wish,
    ...(needsSandbox ? { sandbox: true } : {}),
    ...(wish.maxBudgetUsd === undefined && most < Infinity ? { maxBudgetUsd: most } : {}),
  };
}

/** Which bound the request breaks, and how; undefined if none. */
export function boundsViolation(wish: BoundedFields, executors: readonly string[], bounds: readonly Bound[]): string | undefined {
  for (const { of, executors: allowed, sandbox, maxBudgetUsd = Infinity } of bounds) {
    const other = allowed && executors.find((ref) => !allowed.includes(ref));
    if (other !== undefined) return `the bounds of ${of} allow no executor ${other}, only ${allowed?.join(', ')}`;
    // Extra arguments come after Fleet's own, so they could undo the budget or choose another provider.
    if ((allowed !== undefined || maxBudgetUsd < Infinity) && (wish.extraArgs?.length ?? 0) > 0)
      return `the bounds of ${of} allow no extra arguments for the program of an agent`;
    if (sandbox === 'required' && wish.sandbox !== true) return `the bounds of ${of} allow nothing without the sandbox`;
    if (maxBudgetUsd < Infinity && wish.maxBudgetUsd === undefined)
      return `the bounds of ${of} allow at most $${maxBudgetUsd}, and it has no budget in dollars`;
    if ((wish.maxBudgetUsd ?? 0) > maxBudgetUsd)
      return `the bounds of ${of} allow at most $${maxBudgetUsd}, not $${wish.maxBudgetUsd}`;
  }
  return undefined;
}

/** Whether a bound names executors: then no other executor does a part of the task either. */
export const nameExecutors = (bounds: readonly Bound[]): boolean => bounds.some(({ executors }) => executors !== undefined);
