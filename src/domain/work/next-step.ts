import type { Task } from '../task/task.ts';
import { isUnchangedSinceRejection } from './review-facts.ts';

/** The next step of finished work on its way to the end of its task. */
export type NextStep =
  | { readonly step: 'cancel' }
  /** The work has not been committed and inspected yet. */
  | { readonly step: 'gather' }
  | { readonly step: 'gate' }
  /** The work does not match the agent's claim. */
  | { readonly step: 'repair'; readonly because: 'no_changes' | 'gate' }
  | { readonly step: 'review'; readonly what: string }
  | { readonly step: 'merge' }
  | { readonly step: 'finish' };

/** Only facts decide: the contents of the branch, the gate's result on exactly that commit, and its approval. */
export function nextStep(task: Task, { verify }: { readonly verify?: string | undefined }): NextStep {
  if (task.cancelAsked) return { step: 'cancel' };
  const { work } = task;
  // Work without a branch has no commit to compare, so a gate result on any commit counts.
  if (!work) return proved(task, verify, task.gate?.commit) ?? { step: 'finish' };
  if (work.tip === undefined || work.changes === undefined) return { step: 'gather' };
  if (work.changes.files === 0) return task.expectsChanges ? { step: 'repair', because: 'no_changes' } : { step: 'finish' };
  return proved(task, verify, work.tip) ?? afterProof(task);
}

/** The missing step until the gate is green on this commit; undefined if none is missing. */
function proved({ gate }: Task, verify: string | undefined, commit: string | undefined): NextStep | undefined {
  if (verify === undefined) return undefined;
  if (gate === undefined || gate.commit !== commit || gate.green === undefined) return { step: 'gate' };
  return gate.green ? undefined : { step: 'repair', because: 'gate' };
}

function afterProof({ work, integration }: Task): NextStep {
  const isApproved = work?.approval !== undefined && work.approval.commit === work.tip;
  if (integration === 'none') return { step: 'finish' };
  if (isApproved) return { step: 'merge' };
  const { guarded = [], leaks = [] } = work ?? {};
  if (integration === 'auto' && guarded.length === 0 && leaks.length === 0) return { step: 'merge' };
  const asked =
    integration === 'auto' && guarded.length > 0
      ? `it changes ${guarded.join(', ')}, which never lands unseen: approve or reject it`
      : 'look at its diff, then approve or reject it';
  const leaked =
    leaks.length > 0 ? `a secret its agent had is ${leaks.join(', ')}: have it taken out of every commit, and change it; ` : '';
  const unchanged = work && isUnchangedSinceRejection(work) ? 'nothing has changed since it was rejected; ' : '';
  return { step: 'review', what: `${leaked}${unchanged}${asked}` };
}
