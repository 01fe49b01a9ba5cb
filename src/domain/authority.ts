import { z } from 'zod';
import type { Instant, RunId, TaskId } from './values.ts';

/** What a person or a program may be made by a token. */
export const ROLES = ['admin', 'team-lead', 'coordinator', 'worker', 'monitor', 'merger'] as const;
export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;

/** Every standing a caller can have: a role, or one run, or one machine. */
export const STANDINGS = [...ROLES, 'run', 'host'] as const;
export type Standing = (typeof STANDINGS)[number];

/** Whose operations each standing may call. An operation names the role it belongs to; this table is the only ladder. */
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

/** What it may ask about things that are its own. */
const OWN_READS = [
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

/** Operations a standing may call besides, by name. What each of them shows is only what the caller may see. */
const ALSO: Readonly<Partial<Record<Standing, readonly string[]>>> = {
  worker: [...OWN_READS, 'task.ready'],
  run: [
    ...OWN_READS,
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

export const OPERATIONS_NAMED = [...new Set(Object.values(ALSO).flat())];

export const mayCall = (standing: Standing, operation: { readonly name: string; readonly role: Role }): boolean =>
  COVERS[standing].includes(operation.role) || (ALSO[standing]?.includes(operation.name) ?? false);

/** A token may be handed on only as narrow as the one that hands it on: nothing the minter could not do itself. */
export const mayMint = (minter: Standing, minted: Role): boolean =>
  COVERS[minter].includes(minted) && COVERS[minted].every((role) => COVERS[minter].includes(role));

/** Whether it may speak for others, and send agents into directories that are no project. */
export const leads = ({ role }: Caller): boolean => COVERS[role].includes('team-lead');

/** Who asks, as the one who let them in knows it. Nothing here comes from what the caller says. */
export interface Caller {
  /** Who the caller is wherever that decides anything: the id of its token or of its run, or `OWNER_ID`. */
  readonly id: string;
  /** For people: recorded in the journal as the author of what the caller does. A name gives no rights. */
  readonly name: string;
  readonly role: Standing;
  /** Roles of those whose tokens its own was made with: what their tasks are held to, its tasks are held to. */
  readonly heldAs?: readonly Role[] | undefined;
  /** It sees the tasks of this team and no others. */
  readonly team?: string | undefined;
  /** The run it is, and the task that run serves. */
  readonly run?: { readonly runId: RunId; readonly taskId: TaskId } | undefined;
  /** The machine it is. */
  readonly host?: string | undefined;
  /** Until when whoever let it in will let it in again. */
  readonly until?: Instant | undefined;
}

/** The owner of the home: whoever can open its files, or shows the token that lies among them. */
export const OWNER_ID = 'owner';

/** Whether everything is open to it as far as its role goes, whoever it belongs to. */
export const seesAll = ({ role, team }: Caller): boolean =>
  team === undefined && role !== 'run' && role !== 'host' && role !== 'worker';

/** Roles that hold for what a caller makes besides its own: whoever hands on a token hands on its bounds. */
export const heldBelow = ({ id, role, heldAs = [] }: Caller): readonly Role[] => {
  const own = id === OWNER_ID ? undefined : ROLES.find((one) => one === role);
  return [...new Set([...heldAs, ...(own === undefined ? [] : [own])])];
};

/** An admin of the whole fleet: whoever may change its settings. */
export const isUnbounded = ({ role, team }: Pick<Caller, 'role' | 'team'>): boolean => role === 'admin' && team === undefined;
