import { type SeenProcess, scanProcesses, type UnmarkedProcesses } from '../platform/proc.ts';
import { isShimOf, MARKS, type RunFiles, runIdIn } from './run-place.ts';

let running: Promise<unknown> = Promise.resolve();
const strangers: UnmarkedProcesses = new Map();
let next: Promise<SeenProcess[]> | undefined;

/**
 * All processes, looked at after this call. Many callers share one scan, but never one that has already begun: it could
 * have passed a process that was born since.
 */
export function readProcessTable(): Promise<SeenProcess[]> {
  next ??= running.then(() => {
    next = undefined;
    const scan = scanProcesses(MARKS, strangers);
    running = scan.catch(() => {});
    return scan;
  });
  return next;
}

/** Leak census: every process that carries the mark of a home, with the run it belongs to. */
export async function survivors(mark: string): Promise<(SeenProcess & { readonly runId: string })[]> {
  return (await readProcessTable()).flatMap((seen) => {
    const runId = runIdIn(seen.variables, mark);
    return runId === undefined ? [] : [{ ...seen, runId }];
  });
}

/** Those marked as the run's; and of the session of its shim, if it is known, those that the shim has not marked yet. */
export const markedIn = (table: readonly SeenProcess[], run: RunFiles, shimPid?: number): SeenProcess[] =>
  table.filter(
    ({ variables, session }) => runIdIn(variables, run.mark) === run.id || (session === shimPid && isShimOf(variables, run.mark)),
  );

/**
 * Grows a set of processes by their children and by whoever shares a session with them: all of these can only come from
 * the run, also when they have wiped their environment.
 */
export function withDescendants(table: readonly SeenProcess[], seeds: readonly SeenProcess[]): SeenProcess[] {
  const kin = new Map(seeds.map((seen) => [seen.pid, seen]));
  const sessions = new Set(seeds.map(({ session }) => session));
  for (let before = -1; before < kin.size; ) {
    before = kin.size;
    for (const seen of table) {
      if (kin.has(seen.pid) || !(kin.has(seen.parent) || sessions.has(seen.session))) continue;
      kin.set(seen.pid, seen);
      sessions.add(seen.session);
    }
  }
  return [...kin.values()];
}
