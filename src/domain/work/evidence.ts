import { z } from 'zod';
import { Instant, RunId, TaskId } from '../values.ts';
import { CommitId } from './work.ts';

/** What the gate said of one commit. It is about that commit and no other. */
export const Evidence = z.strictObject({
  /** The gate's run. */
  runId: RunId,
  taskId: TaskId,
  command: z.string(),
  commit: CommitId.optional(),
  tree: CommitId.optional(),
  /** The state of the target branch it was tried on top of. */
  onto: CommitId.optional(),
  green: z.boolean(),
  exit: z.int().optional(),
  why: z.string(),
  /** The end of what it printed. */
  output: z.string(),
  tookMs: z.int().min(0),
  at: Instant,
});
export type Evidence = z.infer<typeof Evidence>;
