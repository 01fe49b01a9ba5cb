import { z } from 'zod';
import type { Instant, RunId, TaskId } from './values.ts';

/** The roles a token can give to a person or a program. */
export const ROLES = ['admin', 'team-lead', 'coordinator', 'worker', 'monitor', 'merger'] as const;
export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;

/** Every standing a caller can have: a role, one run, or one machine. */
export const STANDINGS = [...ROLES, 'run', 'host'] as const;
export type Standing = (typeof STANDINGS)[number];

/** The roles whose operations each standing may call. An operation names one role; this table is the only order of roles. */
const COVERS: Readonly<Record<Standing, readonly Role[]>> = {
  admin: ROLES,
  'team-lead': ['team-lead', 'coordinator', 'worker', 'monitor', 'merger'],
  coordinator: ['team-lead', 'coordinator', 'worker', 'monitor', 'merger'],
  worker: ['worker'],
  monitor: ['monitor'],
  merger: ['merger', 'monitor'],
  run: [],
  host: [],
};

/** Queries that a worker or a run may make about its own tasks, runs and questions. */
const OWN_QUERIES = [
  'task.list',
  'task.show',
  'task.events',
  'task.log',
  'task.cost',
  'task.wait',
  'task.diff',
  'task.report',
  'run.list',
  'run.show',
  'run.log',
  'run.events',
  'run.facts',
  'question.list',
  'question.show',
  'project.list',
  'project.show',
] as const;

/** Further operations each standing may call, by name. Their answers hold only what the caller may see. */
const FURTHER_OPERATIONS: Readonly<Partial<Record<Standing, readonly string[]>>> = {
  worker: [...OWN_QUERIES, 'task.ready'],
  run: [
    ...OWN_QUERIES,
    'run.context',
    'report.submit',
    'inbox.read',
    'task.create',
    'task.review',
    'task.comment',
    'task.cancel',
    'question.ask',
    'question.withdraw',
  ],
  host: ['fleet.status', 'run.list', 'run.show', 'run.log', 'run.events', 'run.facts'],
};

export const NAMED_OPERATIONS = [...new Set(Object.values(FURTHER_OPERATIONS).flat())];

export const mayCall = (standing: Standing, operation: { readonly name: string; readonly role: Role }): boolean =>
  COVERS[standing].includes(operation.role) || (FURTHER_OPERATIONS[standing]?.includes(operation.name) ?? false);

/** Whether a caller may make a token of this role: the token must not allow anything its maker cannot do. */
export const mayMint = (minter: Standing, minted: Role): boolean =>
  COVERS[minter].includes(minted) && COVERS[minted].every((role) => COVERS[minter].includes(role));

/** Whether the caller may act for others, and send agents into directories that are not projects. */
export const isLead = ({ role }: Caller): boolean => COVERS[role].includes('team-lead');

/** The authenticated caller. Every field comes from the surface that authenticated it, none from the caller's own words. */
export interface Caller {
  /** The identity used in every decision: the id of the token or of the run, or `OWNER_ID`. */
  readonly id: string;
  /** For people: the author that the journal records. A name gives no rights. */
  readonly name: string;
  readonly role: Standing;
  /** Roles of those whose tokens its own was made with: what their tasks are held to, its tasks are held to. */
  readonly heldAs?: readonly Role[] | undefined;
  /** It sees the tasks of this team and no others. */
  readonly team?: string | undefined;
  /** Set for a run: its id, and the task it serves. */
  readonly run?: { readonly runId: RunId; readonly taskId: TaskId } | undefined;
  /** Set for a host: its name. */
  readonly host?: string | undefined;
  /** When the caller's credentials expire. */
  readonly until?: Instant | undefined;
}

/** The owner of the home: the user who can open its files, or a caller with the owner token stored among them. */
export const OWNER_ID = 'owner';

/** Whether the caller sees the things of every owner and team, as far as its role goes. */
export const seesAll = ({ role, team }: Caller): boolean =>
  team === undefined && role !== 'run' && role !== 'host' && role !== 'worker';

/** Roles that hold for what a caller makes besides its own: whoever hands on a token hands on its bounds. */
export const heldBelow = ({ id, role, heldAs = [] }: Caller): readonly Role[] => {
  const own = id === OWNER_ID ? undefined : ROLES.find((one) => one === role);
  return [...new Set([...heldAs, ...(own === undefined ? [] : [own])])];
};

/** An admin of the whole fleet: whoever may change its settings. */
export const isUnbounded = ({ role, team }: Pick<Caller, 'role' | 'team'>): boolean => role === 'admin' && team === undefined;
