import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How much of the machine one sandbox may take. */
export interface SandboxLimits {
  /** Of all its processes together, and of its directories in memory. */
  readonly memoryBytes: number;
  /** Directories in there that are memory, and how much each may hold. */
  readonly inMemory: { readonly places: readonly string[]; readonly eachBytes: number };
  readonly processes: number;
  /** Processes and threads of one sandbox. */
  readonly tasks: number;
  /** Those that one user may have, which may be several sandboxes together. */
  readonly userTasks: number;
  /** How much may be added to these directories of the machine. */
  readonly diskBytes: number;
  /** Processors, where the kernel holds it to them. */
  readonly cpus?: number | undefined;
  readonly directories: readonly string[];
}

const PLACES = ['/usr/bin/prlimit', '/bin/prlimit', '/usr/sbin/prlimit', '/run/current-system/sw/bin/prlimit'];

/** What tells the kernel to hold a command to limits; without it they are only measured. */
export const prlimitHere = (): string | undefined => PLACES.find((path) => existsSync(path));

/**
 * The words in front of a command that make the kernel hold it to what it counts for itself: no file larger than all may be, and no
 * more tasks than a machine bears until somebody has looked. Of what the kernel counts for a user, namespaces or not, one sandbox
 * has half: the user goes on. Address space is not limited: V8, Go and sanitizers reserve much more of it than they use.
 */
export function limitArguments({ userTasks, diskBytes }: SandboxLimits): string[] {
  const prlimit = prlimitHere();
  if (prlimit === undefined) return [];
  const held = {
    nproc: Math.min(userTasks, half(tasksHere())),
    sigpending: half(allowed('pending signals')),
    msgqueue: half(allowed('msgqueue size')),
    fsize: Math.min(diskBytes, allowed('file size')),
  };
  const words = Object.entries(held).flatMap(([name, most]) => (Number.isFinite(most) ? [`--${name}=${most}`] : []));
  return [prlimit, ...words, '--'];
}

const half = (most: number): number => Math.floor(most / 2);

/** Only root could ask for more. */
function allowed(name: string): number {
  const found = new RegExp(`^Max ${name}\\s+\\S+\\s+(\\d+)`, 'm').exec(textOf('/proc/self/limits'));
  return found ? Number(found[1]) : Number.POSITIVE_INFINITY;
}

/** Tasks that can be there at once: of this user, of its service, of the machine. */
export function tasksHere(root = '/'): number {
  const own = ['pid_max', 'threads-max'].map((name) => numberIn(join(root, 'proc/sys/kernel', name)));
  return Math.min(allowed('processes'), ...own, ...tasksOfGroups(root));
}

/** The group of this process and those around it, each of which the kernel holds to its own number. */
function tasksOfGroups(root: string): number[] {
  const path = /^(?:0:|\d+:pids):(.*)$/m.exec(textOf(join(root, 'proc/self/cgroup')))?.[1] ?? '/';
  const names = path.split('/').filter(Boolean);
  return ['sys/fs/cgroup', 'sys/fs/cgroup/unified', 'sys/fs/cgroup/pids'].flatMap((mount) =>
    [...names, ''].map((_, n) => numberIn(join(root, mount, ...names.slice(0, n), 'pids.max'))),
  );
}

const numberIn = (path: string): number => Number(/^\d+/.exec(textOf(path))?.[0] ?? Number.POSITIVE_INFINITY);

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
