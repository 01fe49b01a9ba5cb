import { existsSync, readFileSync } from 'node:fs';

/** How much of the machine one sandbox may take. */
export interface Limits {
  /** Of all its processes together, and of its directories in memory. */
  readonly memoryBytes: number;
  /** Directories in there that are memory, and how much each may hold. */
  readonly inMemory: { readonly places: readonly string[]; readonly eachBytes: number };
  readonly processes: number;
  /** Processes and threads that one user may have, which may be several sandboxes together. */
  readonly tasks: number;
  /** How much may be added to these directories of the machine. */
  readonly diskBytes: number;
  readonly directories: readonly string[];
}

const PLACES = ['/usr/bin/prlimit', '/bin/prlimit', '/usr/sbin/prlimit', '/run/current-system/sw/bin/prlimit'];

/**
 * The words in front of a command that make the kernel hold it to what it counts for itself: no file larger than all may be, and no
 * more tasks than a machine bears until somebody has looked. Set within the user namespace, where it counts the sandbox alone.
 * Address space is not limited: V8, Go and sanitizers reserve much more of it than they use.
 */
export function heldTo({ tasks, diskBytes }: Limits): string[] {
  const prlimit = PLACES.find((path) => existsSync(path));
  if (prlimit === undefined) return [];
  return [prlimit, `--nproc=${atMost('processes', tasks)}`, `--fsize=${atMost('file size', diskBytes)}`, '--core=0', '--'];
}

/** What is allowed already, if that is less: only root could ask for more. */
function atMost(name: string, wanted: number): number {
  const found = new RegExp(`^Max ${name}\\s+\\S+\\s+(\\d+)`, 'm').exec(readFileSync('/proc/self/limits', 'utf8'));
  return Math.min(wanted, found ? Number(found[1]) : wanted);
}
