import { type SeenProcess, statSync } from '../platform/proc.ts';
import { membersOf } from './cgroup.ts';
import { markedIn, readProcessTable, withDescendants } from './process-table.ts';
import { readCgroup, readClaim, type ShimIdentity } from './run-facts.ts';
import { type RecordedProcess, type RunFiles, recordedSync } from './run-place.ts';

/** The living processes of a run. */
export interface Members {
  /** Known and alive: it is spared, because it will write `exit`. */
  readonly shim: RecordedProcess | undefined;
  readonly others: readonly SeenProcess[];
  readonly cgroup: string | undefined;
}

/** Found by cgroup, by mark and by kinship with these; a run that shed all three is not ours to judge. */
export async function findMembers(run: RunFiles, identity: ShimIdentity | undefined): Promise<Members> {
  const table = await readProcessTable();
  const recorded = identity?.shim ?? (await claimant(run));
  const shim = recorded && recordedSync(run, recorded) ? recorded : undefined;
  const cgroup = await readCgroup(run);
  const known = new Set(cgroup === undefined ? [] : await membersOf(cgroup));
  for (const one of [shim, identity?.agent, identity?.pump]) if (one && recordedSync(run, one)) known.add(one.pid);
  const seeds = new Set([...markedIn(table, run), ...table.filter(({ pid }) => known.has(pid))]);
  const others = withDescendants(table, [...seeds]).filter(({ pid }) => pid !== shim?.pid && pid !== process.pid);
  return { shim, others, cgroup };
}

/** Sends a signal to a process that was just seen, if it still is the same one. */
export function signalSync({ pid, started }: RecordedProcess, signal: NodeJS.Signals): boolean {
  return pid > 1 && pid !== process.pid && statSync(pid)?.started === started && send(pid, signal);
}

/** Sends a signal to the shim alone, or to its whole group, if the recorded process still is this run's shim. */
export function signalShimSync(run: RunFiles, shim: RecordedProcess, target: 'shim' | 'group', signal: NodeJS.Signals): boolean {
  const stat = recordedSync(run, shim);
  if (!stat || stat.pid <= 1 || (target === 'group' && stat.group !== stat.pid)) return false;
  return send(target === 'group' ? -stat.pid : stat.pid, signal);
}

/** Stops the whole group of a process that was just seen, and whoever it forks in this moment with it. */
export function stopGroupSync({ pid, started }: RecordedProcess): boolean {
  const stat = statSync(pid);
  const isTheirs = stat?.started === started && stat.group > 1 && stat.group !== statSync(process.pid)?.group;
  return isTheirs && send(-stat.group, 'SIGSTOP');
}

async function claimant(run: RunFiles): Promise<RecordedProcess | undefined> {
  const claim = await readClaim(run);
  return claim?.by === 'shim' ? claim.shim : undefined;
}

function send(target: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}
