import { z } from 'zod';
import { Instant, RunId, WorkspaceId } from '../values.ts';

/** The full id of a git commit or tree. */
export const CommitId = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'not the whole id of a commit');
export type CommitId = z.infer<typeof CommitId>;

export const Totals = z.strictObject({
  commits: z.int().min(0),
  files: z.int().min(0),
  added: z.int().min(0),
  removed: z.int().min(0),
});
export type Totals = z.infer<typeof Totals>;

/** What the runs of a task have made in a repository, and how far that has come on its way to the target branch. */
export const Work = z.strictObject({
  /** The task's own branch. */
  branch: z.string(),
  /** The branch the work is to land on. */
  target: z.string(),
  /** The commit the work began at. */
  base: CommitId,
  workspaceId: WorkspaceId.optional(),
  /** The newest run that worked on the task. */
  runId: RunId.optional(),
  /** Everything in the workspace when the last run ended, committed or not, under a hidden ref. */
  kept: z.strictObject({ commit: CommitId, ref: z.string(), at: Instant }).optional(),
  /** All work as commits on the branch; absent until it has been gathered after a run. */
  tip: CommitId.optional(),
  tree: CommitId.optional(),
  changes: Totals.optional(),
  /** Changed guarded paths, which only a person may let land. */
  guarded: z.array(z.string()).optional(),
  /** Where its commits hold a secret that an agent of the task had, or why nobody could look for one. */
  leaks: z.array(z.string()).optional(),
  /** Somebody has looked at this tree and refused it, with these words. */
  rejected: z.strictObject({ by: z.string(), at: Instant, text: z.string(), tree: CommitId.optional() }).optional(),
  /** Files in which this commit conflicts with the target as it was when the work was offered for review. */
  conflicts: z.strictObject({ tip: CommitId, onto: CommitId, files: z.array(z.string()) }).optional(),
  /** A reviewer approved exactly this commit. */
  approval: z.strictObject({ by: z.string(), at: Instant, commit: CommitId }).optional(),
  /** The commit that will become the target: the tip on top of the target as it was. */
  landing: z.strictObject({ onto: CommitId, commit: CommitId, tree: CommitId }).optional(),
  landed: z.strictObject({ commit: CommitId, at: Instant }).optional(),
  /** The result of pushing the target after landing. */
  pushed: z.strictObject({ ok: z.boolean(), why: z.string().optional() }).optional(),
});
export type Work = z.infer<typeof Work>;

/** The newest run of the project's verify command for a task: its subject and its result. */
export const Gate = z.strictObject({
  /** Absent for work in place, where nothing is committed. */
  commit: CommitId.optional(),
  tree: CommitId.optional(),
  workspaceId: WorkspaceId.optional(),
  runId: RunId.optional(),
  /** How often the run was lost without a known end. */
  lost: z.int().min(0).optional(),
  /** Absent until the run has ended. */
  green: z.boolean().optional(),
});
export type Gate = z.infer<typeof Gate>;

/** The ref that keeps the work of a run. */
export const keptRef = (taskId: string, runId: string): string => `refs/fleet/kept/${taskId}/${runId}`;

/** The ref of the commit that a task is about to land, so that git does not prune it. */
export const landingRef = (taskId: string): string => `refs/fleet/landing/${taskId}`;

/** The ref of a task's start commit, combined from the work of its dependencies, until its branch exists. */
export const startRef = (taskId: string): string => `refs/fleet/start/${taskId}`;
