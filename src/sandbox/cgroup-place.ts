import { join } from 'node:path';
import { CGROUP_FILES, type CgroupFiles } from './cgroup-files.ts';

/** The leaf for everything that is in no sandbox: a group that hands controllers on may have no process of its own. */
export const OUTSIDE = 'fleet-outside';
/** The group of a run, which the runner makes. */
const OF_RUN = /^fleet-[0-9a-f]{8,}-./;
const CONTROLLERS = ['memory', 'pids', 'cpu'] as const;
export type LimitController = (typeof CONTROLLERS)[number];

/** Where groups of sandboxes can be made, and what holds them there. */
export interface CgroupPlace {
  readonly base: string;
  readonly controllers: readonly LimitController[];
  /** Whether all processes there have to go into the leaf first. */
  readonly isToBeLeft: boolean;
}

export interface CgroupLook {
  /** Where the machine begins. */
  readonly root?: string;
  /** The process whose group it is about. */
  readonly pid?: number | undefined;
  readonly files?: CgroupFiles;
}

/**
 * Looks without changing anything. A group with processes is taken over only where it is all there is, as in a container: what
 * else is in it may be somebody else's, and a service manager cannot start a service again whose group it finds divided.
 */
export function cgroupPlace({ root = '/', pid, files = CGROUP_FILES }: CgroupLook = {}): CgroupPlace | { readonly why: string } {
  const own = ownGroup(root, { pid, files });
  if ('why' in own) return own;
  const names = baseOf(own.path);
  const base = join(own.mount, ...names);
  const type = files.read(join(base, 'cgroup.type')).trim();
  const present = wordsOf(files.read(join(base, 'cgroup.controllers')));
  const controllers = CONTROLLERS.filter((name) => present.includes(name));
  const told = `the cgroup /${names.join('/')}`;
  if (!controllers.some((name) => name !== 'cpu'))
    return { why: `${told} has no controller of memory or processes (${present.join(', ') || 'none at all'})` };
  if (type !== '' && type !== 'domain') return { why: `${told} is ${type}` };
  const changed = ['.', 'cgroup.procs', 'cgroup.subtree_control'].map((name) => join(base, name));
  if (!changed.every((path) => files.isWritable(path))) return { why: `${told} is not delegated: it may not be changed` };
  // Only that of the whole machine has no type; it may have processes and hand controllers on.
  const isToBeLeft = type !== '' && wordsOf(files.read(join(base, 'cgroup.procs'))).length > 0;
  if (isToBeLeft && names.length > 0) return { why: `${told} has processes of its own, and no leaf ${OUTSIDE} for them` };
  return { base, controllers, isToBeLeft };
}

interface OwnGroup {
  readonly mount: string;
  readonly path: string;
}

function ownGroup(
  root: string,
  { pid, files }: Required<Pick<CgroupLook, 'files'>> & CgroupLook,
): OwnGroup | { readonly why: string } {
  const mounts = files.read(join(root, 'proc/self/mountinfo')).split('\n');
  const mount = mounts.find((line) => line.includes(' - cgroup2 '));
  const groupsOf = (process: string) => files.read(join(root, 'proc', process, 'cgroup'));
  // The one that is asked about may be gone.
  const path = /^0::(.*)$/m.exec((pid === undefined ? '' : groupsOf(String(pid))) || groupsOf('self'))?.[1];
  if (mount === undefined || path === undefined) return { why: 'cgroups of version 2 are not mounted' };
  const [, , , shown = '/', point = ''] = mount.split(' ');
  const within = shown === '/' ? path : path.startsWith(`${shown}/`) || path === shown ? path.slice(shown.length) : undefined;
  if (within === undefined || path.split('/').includes('..')) return { why: `the cgroup ${path} cannot be seen here` };
  return { mount: join(root, point), path: within };
}

function baseOf(path: string): string[] {
  const names = path.split('/').filter(Boolean);
  const leaf = names.indexOf(OUTSIDE);
  if (leaf >= 0) return names.slice(0, leaf);
  return OF_RUN.test(names.at(-1) ?? '') ? names.slice(0, -1) : names;
}

export const wordsOf = (text: string): string[] => text.split(/\s+/).filter(Boolean);
