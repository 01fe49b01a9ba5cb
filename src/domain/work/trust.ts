import { z } from 'zod';

/**
 * How far an agent is trusted; everything it may read, write and reach follows from it. From the highest to the lowest:
 * nothing of a lower level reaches a higher one but what Fleet takes and what a person lets land.
 * `trust-table.ts` says it in full.
 *
 * - `own`: like the user's own shell. It works in a worktree of the project, or in place.
 * - `apart`: it reaches what the user reaches, but works in a private clone: Fleet takes files and commits from it as data.
 * - `sandboxed`: it reaches what it was given and nothing else, in a private clone.
 */
export const TRUST_LEVELS = ['own', 'apart', 'sandboxed'] as const;
export const TrustLevel = z.enum(TRUST_LEVELS);
export type TrustLevel = z.infer<typeof TrustLevel>;

/** From the highest down. */
export const isLower = (level: TrustLevel, than: TrustLevel): boolean => TRUST_LEVELS.indexOf(level) > TRUST_LEVELS.indexOf(than);

/** The level of a task, or of a workspace that was made before levels were recorded. */
export const trustOf = (of: { readonly sandbox?: boolean | undefined; readonly isolation?: string | undefined }): TrustLevel => {
  if (of.sandbox === true) return 'sandboxed';
  return of.isolation === 'clone' ? 'apart' : 'own';
};

/** What a workspace must be to serve a task: for its agents, its set-up or its gate. */
export const homeOf = (
  task: Parameters<typeof trustOf>[0],
): { readonly isolation: 'worktree' | 'clone'; readonly trust: TrustLevel } => {
  const trust = trustOf(task);
  return { isolation: trust === 'own' ? 'worktree' : 'clone', trust };
};

/** Whether a workspace is of the level of a task, so that its agents and their commands may work in it. */
export const serves = (
  workspace: { readonly isolation: 'worktree' | 'clone'; readonly trust?: TrustLevel | undefined },
  task: Parameters<typeof trustOf>[0],
): boolean => {
  const { isolation, trust } = homeOf(task);
  return workspace.isolation === isolation && (workspace.trust ?? trustOf(workspace)) === trust;
};
