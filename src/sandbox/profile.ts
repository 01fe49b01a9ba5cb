/** One thing of the machine at a place in the sandbox: a file or directory to be read or changed, or a device. */
export interface Mount {
  readonly from: string;
  readonly at: string;
  readonly as: 'read' | 'write' | 'device';
}

const FLAGS = { read: '--ro-bind', write: '--bind', device: '--dev-bind' } as const;

/** What an agent sees. All paths are absolute and resolved by whoever knows the machine. */
export interface View {
  /** Directories that are there and look empty. */
  readonly hidden: readonly string[];
  readonly mounts: readonly Mount[];
  readonly directory: string;
  /** `own`: nothing but its own loopback. `shared`: everything the machine can reach. */
  readonly network: 'own' | 'shared';
}

/**
 * The arguments that make bubblewrap show exactly this. Everything of the machine can be read but what is hidden; nothing
 * can be written but what is mounted so. It dies with whoever started it, so that killing that one kills all.
 */
export const profileOf = ({ hidden, mounts, directory, network }: View): string[] => [
  ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  ...(network === 'own' ? ['--unshare-net'] : []),
  ...['--die-with-parent', '--cap-drop', 'ALL', '--hostname', 'sandbox'],
  ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
  ...outerFirst(hidden, (path) => path).flatMap((path) => ['--perms', '1777', '--tmpfs', path]),
  ...laidOut(mounts).flatMap(({ from, at, as }) => [FLAGS[as], from, at]),
  ...['--chdir', directory],
];

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
