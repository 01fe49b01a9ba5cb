import { readFileSync } from 'node:fs';
import { markedIn, readProcessTable, withDescendants } from './process-table.ts';
import type { RunFiles } from './run-place.ts';

/** Runs with more processes than allowed, and how many they have. */
export type ProcessCountWatch = (runs: readonly RunFiles[], most: number) => Promise<ReadonlyMap<string, number>>;

/** Runs are counted again when the machine has gained this share of what one of them may have. */
const GROWTH = 1 / 4;
const EVERY_MS = 200;

/**
 * Counting means looking at every process of the machine. As long as the machine as a whole has hardly gained any, no run
 * can have gained many, and that is one short read: a crowd is found late only if others leave while it grows.
 */
export function processCountWatch({ threads = threadsHere, everyMs = EVERY_MS } = {}): ProcessCountWatch {
  let least = Number.NEGATIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;
  return async (runs, most) => {
    // Runs that print much are looked at much more often than machines fill up.
    if (performance.now() - lookedAt < everyMs) return new Map();
    lookedAt = performance.now();
    const now = threads();
    least = Math.min(least, now ?? least);
    if (runs.length === 0 || (now !== undefined && now - least < most * GROWTH)) return new Map();
    const table = await readProcessTable();
    const counts = runs.map((run) => [run.id, withDescendants(table, markedIn(table, run)).length] as const);
    const crowds = new Map(counts.filter(([, count]) => count > most));
    // Until a crowd is gone it is counted every time.
    least = crowds.size > 0 ? Number.NEGATIVE_INFINITY : (now ?? least);
    return crowds;
  };
}

/** Of all processes, as the kernel counts them for its load average; undefined where it does not tell. */
function threadsHere(): number | undefined {
  try {
    const found = /^\S+ \S+ \S+ \d+\/(\d+) /.exec(readFileSync('/proc/loadavg', 'utf8'));
    return found ? Number(found[1]) : undefined;
  } catch {
    return undefined;
  }
}
