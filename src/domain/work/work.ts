import { z } from 'zod';
import { Instant, RunId, WorkspaceId } from '../values.ts';

/** A commit or a tree of git, by its whole name. */
export const CommitId = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'not the whole id of a commit');
export type CommitId = z.infer<typeof CommitId>;

export const Totals = z.strictObject({
  commits: z.int().min(0),
  files: z.int().min(0),
  added: z.int().min(0),
  removed: z.int().min(0),
});
export type Totals = z.infer<typeof Totals>;

/** What the runs of a task have made in a repository, and how far it has come on its way to the target branch. */
export const Work = z.strictObject({
  /** Branch of its own. */
  branch: z.string(),
  /** Branch it is to land on. */
  target: z.string(),
  /** Commit it began at. */
  base: CommitId,
  workspaceId: WorkspaceId.optional(),
  /** The newest run that worked on it. */
  runId: RunId.optional(),
  /** Everything in the workspace when a run last ended, committed or not, under a hidden ref. */
  kept: z.strictObject({ commit: CommitId, ref: z.string(), at: Instant }).optional(),
  /** All of it as commits on the branch; absent until it has been gathered after a run. */
  tip: CommitId.optional(),
  tree: CommitId.optional(),
  changes: Totals.optional(),
  /** Files among the changes that nothing but a person may let through. */
  guarded: z.array(z.string()).optional(),
  /** Where its commits hold a secret that an agent of the task had, or why nobody could look for one. */
  leaks: z.array(z.string()).optional(),
  /** Somebody has looked at this tree and refused it, with these words. */
  rejected: z.strictObject({ by: z.string(), at: Instant, text: z.string(), tree: CommitId.optional() }).optional(),
  /** Files in which this commit cannot be put together with what the target was when it was offered for review. */
  conflicts: z.strictObject({ tip: CommitId, onto: CommitId, files: z.array(z.string()) }).optional(),
  /** Somebody has looked at exactly this commit and wants it. */
  approval: z.strictObject({ by: z.string(), at: Instant, commit: CommitId }).optional(),
  /** What the target will be once it lands: the tip on top of what the target was. */
  landing: z.strictObject({ onto: CommitId, commit: CommitId, tree: CommitId }).optional(),
  landed: z.strictObject({ commit: CommitId, at: Instant }).optional(),
  /** What became of the wish to push the target after landing. */
  pushed: z.strictObject({ ok: z.boolean(), why: z.string().optional() }).optional(),
});
export type Work = z.infer<typeof Work>;

/** The newest run of the project's verify command for a task: what it looked at, and what it said. */
export const Gate = z.strictObject({
  /** Absent where work is done in place and nothing is committed. */
  commit: CommitId.optional(),
  tree: CommitId.optional(),
  workspaceId: WorkspaceId.optional(),
  runId: RunId.optional(),
  /** How often its run was lost, with nobody to say how it ended. */
  lost: z.int().min(0).optional(),
  /** Absent until it has ended. */
  green: z.boolean().optional(),
});
export type Gate = z.infer<typeof Gate>;

/** Where the work of a run is kept for good. */
export const keptRef = (taskId: string, runId: string): string => `refs/fleet/kept/${taskId}/${runId}`;

/** What a task will land is under this ref while it waits for that, so that git keeps it. */
export const landingRef = (taskId: string): string => `refs/fleet/landing/${taskId}`;

/** What a task begins with, put together from the work of others, until its branch is there. */
export const startRef = (taskId: string): string => `refs/fleet/start/${taskId}`;
