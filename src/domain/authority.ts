import { z } from 'zod';

/** What a caller may be. A run or a host speaks with a token of its own, narrower than any of these. */
export const ROLES = ['admin', 'team-lead', 'coordinator', 'worker', 'monitor', 'merger'] as const;
export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;

/** Whose operations each role may call. An operation names the role it belongs to; this table is the only ladder. */
const COVERS: Readonly<Record<Role, readonly Role[]>> = {
  admin: ROLES,
  'team-lead': ['team-lead', 'coordinator', 'worker', 'monitor', 'merger'],
  coordinator: ['team-lead', 'coordinator', 'worker', 'monitor', 'merger'],
  worker: ['worker'],
  monitor: ['monitor'],
  merger: ['merger', 'monitor'],
};

export const covers = (caller: Role, needed: Role): boolean => COVERS[caller].includes(needed);

export interface Caller {
  /** Recorded in the journal as the author of what it does. */
  readonly name: string;
  readonly role: Role;
}
