import type { Machine } from './machine.ts';
import { LOADER_VARIABLES, type SandboxUser, TO_CHANGE_USER } from './user.ts';

/** One thing of the machine at a place in the sandbox: a file or directory to be read or changed, or a device. */
export interface Mount {
  readonly from: string;
  readonly at: string;
  readonly as: 'read' | 'write' | 'device';
}

const FLAGS = { read: '--ro-bind', write: '--bind', device: '--dev-bind' } as const;

/** What an agent sees. All paths are absolute and resolved by whoever knows the machine. */
export interface SandboxView {
  readonly machine: Machine;
  /** Directories that are there, look empty, and are gone afterwards. */
  readonly hidden: readonly string[];
  readonly mounts: readonly Mount[];
  readonly directory: string;
  /** `own`: nothing but its own loopback. `shared`: everything the machine can reach. */
  readonly network: 'own' | 'shared';
  /** How much each directory of its own in memory may hold. */
  readonly memoryBytes: number;
  /** Whom root makes it for; absent: it is made for whoever makes it. */
  readonly user?: SandboxUser | undefined;
}

/**
 * The arguments that make bubblewrap show exactly this, to agents and to programs of Fleet's own that look at what agents
 * made. Nothing is there but what is listed; nothing can be written but what is mounted so, and directories in memory. It dies
 * with whoever started it, so that killing that one kills all. It is a session of its own: a signal to a group of processes
 * would else reach those outside that watch over it, and stop them. Whoever asks it to end asks each of its processes.
 */
export const profileOf = ({ machine, hidden, mounts, directory, network, memoryBytes, user }: SandboxView): string[] => [
  ...(user ? [] : OWN_USERS),
  ...NAMESPACES,
  ...(network === 'own' ? ['--unshare-net'] : []),
  ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'sandbox'],
  ...(user ? [...each('--cap-add', TO_CHANGE_USER), ...each('--unsetenv', LOADER_VARIABLES)] : []),
  ...machine.directories.flatMap((path) => [...(user ? waysTo(path) : []), '--ro-bind', path, path]),
  ...machine.links.flatMap(({ at, to }) => ['--symlink', to, at]),
  ...['--dev', '/dev', ...inMemory('/dev/shm', memoryBytes), '--remount-ro', '/dev'],
  ...['--proc', '/proc', '--remount-ro', '/proc'],
  ...outerFirst(hidden, (path) => path).flatMap((path) => inMemory(path, memoryBytes)),
  ...laidOut(mounts).flatMap(({ from, at, as }) => [...(user ? waysTo(at) : []), FLAGS[as], from, at]),
  // Only now: until here bubblewrap itself made what it mounted on.
  ...['--remount-ro', '/', '--chdir', user ? '/' : directory],
];

/**
 * Whoever could make a user namespace could take apart in there what is mounted here. Where root gives a sandbox to another
 * user there is none to switch off further ones in: the filter of system calls alone refuses them.
 */
const OWN_USERS = ['--unshare-user', '--disable-userns', '--assert-userns-disabled'];
const NAMESPACES = ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'];

const each = (flag: string, values: readonly string[]): string[] => values.flatMap((value) => [flag, value]);

const inMemory = (path: string, bytes: number): string[] => ['--perms', '1777', '--size', String(bytes), '--tmpfs', path];

/** Bubblewrap makes the directories above a private one private too: here they would be root's alone. */
const waysTo = (path: string): string[] => ancestorsOf(path).flatMap((directory) => ['--perms', '0755', '--dir', directory]);

const ancestorsOf = (path: string): string[] => {
  const names = path.split('/').slice(1, -1);
  return names.map((_, n) => `/${names.slice(0, n + 1).join('/')}`);
};

/** What lies deeper comes later and wins; at the same place what cannot be changed wins. */
function laidOut(mounts: readonly Mount[]): Mount[] {
  const byPlace = new Map<string, Mount>();
  for (const mount of mounts) {
    const before = byPlace.get(mount.at);
    if (!before || before.as === 'write') byPlace.set(mount.at, mount);
  }
  return outerFirst([...byPlace.values()], ({ at }) => at);
}

const outerFirst = <Thing>(things: readonly Thing[], pathOf: (thing: Thing) => string): Thing[] =>
  things.toSorted((a, b) => depthOf(pathOf(a)) - depthOf(pathOf(b)) || (pathOf(a) < pathOf(b) ? -1 : 1));

const depthOf = (path: string): number => path.split('/').filter(Boolean).length;

/** Whether a path is a directory or lies below it. */
export const isWithin = (path: string, directory: string): boolean =>
  directory === '/' || path === directory || path.startsWith(`${directory}/`);
