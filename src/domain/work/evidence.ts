import { z } from 'zod';
import { Instant, RunId, TaskId } from '../values.ts';
import { failingNames, failingText } from './failing-tests.ts';
import { CommitId } from './work.ts';

/** The result of the gate on one commit. It holds for that commit only. */
export const Evidence = z.strictObject({
  /** The run of the gate. */
  runId: RunId,
  taskId: TaskId,
  command: z.string(),
  commit: CommitId.optional(),
  tree: CommitId.optional(),
  /** The commit of the target branch that the work was combined with. */
  onto: CommitId.optional(),
  green: z.boolean(),
  exit: z.int().optional(),
  why: z.string(),
  /** The end of the gate's output. */
  output: z.string(),
  /** The failed tests, if the test runner is known. */
  failures: z.array(z.strictObject({ name: z.string(), detail: z.string() })).optional(),
  tookMs: z.int().min(0),
  at: Instant,
});
export type Evidence = z.infer<typeof Evidence>;

/** One line: the command, how it ended, and which tests failed. */
export function gateRefusalText(found: Evidence | undefined): string {
  if (!found) return 'the gate said no';
  const { command, why, exit, failures = [] } = found;
  const which = failures.length > 0 ? `; failing: ${failingNames(failures)}` : '';
  return `${command} → ${why || `exit code ${exit}`}${which}`;
}

/** What an agent needs for a repair: the failed tests, else the end of the output. */
export function gateFindingsText(found: Evidence | undefined): string {
  const { failures = [], output = '' } = found ?? {};
  return failures.length > 0 ? `What fails:\n${failingText(failures)}` : `The end of its output:\n${output}`;
}
