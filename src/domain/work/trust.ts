import { z } from 'zod';

/**
 * How far an agent is trusted, from the highest level to the lowest; what the agent may read, write and reach follows from it.
 * Only what Fleet collects and what a person lets land passes from a lower level to a higher one. Details: `trust-table.ts`.
 *
 * - `own`: like the user's own shell. The agent works in a worktree of the project, or in place.
 * - `apart`: the agent reaches what the user reaches, but works in a private clone: Fleet takes files and commits from it as data.
 * - `sandboxed`: the agent reaches only what it was given, in a private clone.
 */
export const TRUST_LEVELS = ['own', 'apart', 'sandboxed'] as const;
export const TrustLevel = z.enum(TRUST_LEVELS);
export type TrustLevel = z.infer<typeof TrustLevel>;

/** Whether a level is below another. */
export const isLower = (level: TrustLevel, than: TrustLevel): boolean => TRUST_LEVELS.indexOf(level) > TRUST_LEVELS.indexOf(than);

/** The level of a task, or of a workspace of an old row without a level. */
export const trustOf = (of: { readonly sandbox?: boolean | undefined; readonly isolation?: string | undefined }): TrustLevel => {
  if (of.sandbox === true) return 'sandboxed';
  return of.isolation === 'clone' ? 'apart' : 'own';
};

/** The isolation and level a workspace needs for a task: for its agents, its set-up or its gate. */
export const workspaceKindFor = (
  task: Parameters<typeof trustOf>[0],
): { readonly isolation: 'worktree' | 'clone'; readonly trust: TrustLevel } => {
  const trust = trustOf(task);
  return { isolation: trust === 'own' ? 'worktree' : 'clone', trust };
};

/** Whether a workspace has the isolation and level that a task needs. */
export const fitsTask = (
  workspace: { readonly isolation: 'worktree' | 'clone'; readonly trust?: TrustLevel | undefined },
  task: Parameters<typeof trustOf>[0],
): boolean => {
  const { isolation, trust } = workspaceKindFor(task);
  return workspace.isolation === isolation && (workspace.trust ?? trustOf(workspace)) === trust;
};
