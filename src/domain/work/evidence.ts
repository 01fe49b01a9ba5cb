import { z } from 'zod';
import { Instant, RunId, TaskId } from '../values.ts';
import { failingNames, failingText } from './failing-tests.ts';
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
  /** The tests its runner says have failed, where that runner is known. */
  failures: z.array(z.strictObject({ name: z.string(), detail: z.string() })).optional(),
  tookMs: z.int().min(0),
  at: Instant,
});
export type Evidence = z.infer<typeof Evidence>;

/** What was run, how it ended, and which tests failed: one line. */
export function refusalOf(found: Evidence | undefined): string {
  if (!found) return 'the gate said no';
  const { command, why, exit, failures = [] } = found;
  const which = failures.length > 0 ? `; failing: ${failingNames(failures)}` : '';
  return `${command} → ${why || `exit code ${exit}`}${which}`;
}

/** What whoever is to repair it has to see: the tests that failed, else the end of what was printed. */
export function findingsOf(found: Evidence | undefined): string {
  const { failures = [], output = '' } = found ?? {};
  return failures.length > 0 ? `What fails:\n${failingText(failures)}` : `The end of its output:\n${output}`;
}
