import type { Role } from '../authority.ts';
import type { Project } from '../project/project.ts';
import type { Settings } from '../settings.ts';

/* What may be started: the executors, the sandbox and the budget that hold for a role, a team or a project. */

/** What a bound holds a task to. A field that is absent holds it to nothing. */
interface Limits {
  /** A task is done by these and by no others, each named with its account unless that is the default one. */
  readonly executors?: readonly string[] | undefined;
  readonly sandbox?: 'required' | undefined;
  readonly maxBudgetUsd?: number | undefined;
}

/** One that holds, and whose it is: `role worker`, `team web`, `project shop`. */
export interface Bound extends Limits {
  readonly of: string;
}

/** Whoever makes or changes a task, and what it belongs to. */
interface Around {
  readonly roles: readonly (Role | undefined)[];
  readonly teams: readonly (string | undefined)[];
  readonly project?: Pick<Project, 'name' | 'allowExecutors' | 'sandbox' | 'maxBudgetUsd'> | undefined;
}

export type BoundSettings = Pick<Settings, 'bounds_role' | 'bounds_team'>;

/** All of them hold together. */
export function boundsAround({ roles, teams, project }: Around, { bounds_role, bounds_team }: BoundSettings): readonly Bound[] {
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

const isBounded = ({ allowExecutors, sandbox, maxBudgetUsd }: NonNullable<Around['project']>): boolean =>
  allowExecutors !== undefined || sandbox !== undefined || maxBudgetUsd !== undefined;

const distinct = <Value>(values: readonly (Value | undefined)[]): Value[] => [
  ...new Set(values.filter((value) => value !== undefined)),
];

interface Wish {
  readonly sandbox?: boolean | undefined;
  readonly maxBudgetUsd?: number | undefined;
  readonly extraArgs?: readonly string[] | undefined;
}

/** Where it says nothing of sandbox and budget, the bounds do. What it says outside of them stays, to be refused. */
export function filledIn<Asked extends Wish>(wish: Asked, bounds: readonly Bound[]): Asked {
  const most = Math.min(...bounds.map(({ maxBudgetUsd = Infinity }) => maxBudgetUsd));
  const needsSandbox = wish.sandbox === undefined && bounds.some(({ sandbox }) => sandbox === 'required');
  return {
    ...wish,
    ...(needsSandbox ? { sandbox: true } : {}),
    ...(wish.maxBudgetUsd === undefined && most < Infinity ? { maxBudgetUsd: most } : {}),
  };
}

/** What of it lies outside of the bounds, and of which; undefined where nothing does. */
export function outsideOf(wish: Wish, executors: readonly string[], bounds: readonly Bound[]): string | undefined {
  for (const { of, executors: allowed, sandbox, maxBudgetUsd = Infinity } of bounds) {
    const other = allowed && executors.find((ref) => !allowed.includes(ref));
    if (other !== undefined) return `the bounds of ${of} allow no executor ${other}, only ${allowed?.join(', ')}`;
    // They reach the program after what Fleet tells it, and could take back its budget or lead it to another provider.
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

/** Whether they say who may do a task: then nobody else does a part of it. */
export const nameExecutors = (bounds: readonly Bound[]): boolean => bounds.some(({ executors }) => executors !== undefined);
