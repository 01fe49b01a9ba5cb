import { dirname } from 'node:path';
import { isFault } from '../../domain/fault.ts';
import { isMachineError } from '../../domain/machine-error.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Workspace } from '../../domain/work/workspace.ts';
import type { Versioned as Read } from '../../store/records/record.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import type { WorkDeps } from './deps.ts';
import { planAside } from './put-aside.ts';
import type { Setback } from './setbacks.ts';
import { PATIENCE_MS, reasonOf, recordTrouble } from './trouble.ts';

/** What was being done with a workspace. */
interface Failed {
  readonly type: string;
  readonly sight: { readonly workspace: Read<Workspace>; readonly task: Task | undefined };
}

/** Tries of what will most likely be the same again. */
const MOST_TRIES = 6;

/** What failed rests and is tried again; after a while, or a few tries, a person is told. */
export async function afterFailure(
  { type, sight }: Failed,
  error: unknown,
  { times, forMs }: Setback,
  needs: WorkDeps,
): Promise<boolean> {
  const { workspace, task } = sight;
  const isPassing = isMachineError(error, dirname(workspace.body.path));
  if (isPassing && forMs < PATIENCE_MS) {
    if (task && type === 'make') await recordTrouble(task.id, error, needs);
    return false;
  }
  const why = reasonOf(error);
  // What a person must repair is said to them; anything else is tried again.
  if (type === 'make' && (isPassing || isFault(error))) return fail(workspace, { why }, needs);
  const isEnough = isPassing || times >= MOST_TRIES;
  if (type === 'clear') return isEnough && leaveAside(sight, `it could not be cleared: ${why}`, needs);
  return isEnough && fail(workspace, { why }, needs);
}

/** What cannot be cleared is put aside whole; what was put aside before, and cannot be removed, stays so. */
async function leaveAside({ workspace }: Failed['sight'], why: string, needs: WorkDeps): Promise<true> {
  const { body, version } = workspace;
  const again = () => workspaces.put({ ...body, state: 'aside', why, updatedAt: needs.now() }, version);
  await needs.store.commit([body.aside ? again() : planAside(workspace, { why }, needs)]);
  return true;
}

export async function fail(
  workspace: Read<Workspace>,
  how: Pick<Workspace, 'why' | 'stuck'>,
  { store, now }: WorkDeps,
): Promise<true> {
  const { setupRun: _run, ...rest } = workspace.body;
  await store.commit([workspaces.put({ ...rest, ...how, state: 'failed', updatedAt: now() }, workspace.version)]);
  return true;
}
