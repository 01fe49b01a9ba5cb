import { mkdirSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../platform/files.ts';
import type { RunFiles } from './run-place.ts';

/** The name is as hard to guess as the mark, so that no directory of anybody else can pass for a run's. */
export const cgroupOf = (parent: string, { id, mark }: RunFiles): string => join(parent, `fleet-${mark}-${id}`);

/**
 * Where runs may get a cgroup of their own: below ours, if this kernel has version 2 with `cgroup.kill` and lets us.
 *
 * Joining waits for the kernel: 11 to 14 ms per start on a quiet machine, nothing where version 2 is mounted with
 * `favordynmods`, which `quickOnly` asks for.
 */
export async function findCgroupParent({ quickOnly = false } = {}): Promise<string | undefined> {
  const [mounts, own] = await Promise.all([
    readFile('/proc/self/mountinfo', 'utf8'),
    readFile('/proc/self/cgroup', 'utf8'),
  ]).catch(() => ['', '']);
  const mount = mounts?.split('\n').find((line) => line.includes(' - cgroup2 '));
  const path = /^0::(.*)$/m.exec(own ?? '')?.[1];
  if (mount === undefined || path === undefined || (quickOnly && !mount.includes('favordynmods'))) return undefined;
  const [, , , root = '/', point = ''] = mount.split(' ');
  const parent = join(point, root === '/' ? path : path.slice(root.length));
  return (await canHold(parent)) ? parent : undefined;
}

/** Where it cannot be made the shim does without. */
export function makeCgroup(cgroup: string): void {
  try {
    mkdirSync(cgroup);
  } catch {}
}

/** Members now, also of groups made inside; none when there is no such group. */
export async function membersOf(cgroup: string): Promise<number[]> {
  const text = await readFile(join(cgroup, 'cgroup.procs'), 'utf8').catch(() => '');
  const inside = await Promise.all((await groupsIn(cgroup)).map(membersOf));
  return [...text.split('\n').filter(Boolean).map(Number), ...inside.flat()];
}

/** Ends all members in one step, whatever they fork meanwhile. */
export async function killMembers(cgroup: string): Promise<void> {
  await writeFile(join(cgroup, 'cgroup.kill'), '1').catch(() => {});
}

/** True when it is gone. Groups that an agent made inside go first. */
export async function removeCgroup(cgroup: string): Promise<boolean> {
  for (const inside of await groupsIn(cgroup)) await removeCgroup(inside);
  return rmdir(cgroup).then(
    () => true,
    (error: unknown) => hasCode(error, 'ENOENT'),
  );
}

async function groupsIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
}

async function canHold(parent: string): Promise<boolean> {
  const probe = join(parent, `fleet-probe-${process.pid}`);
  try {
    await mkdir(probe);
    return (await readdir(probe)).includes('cgroup.kill');
  } catch {
    return false;
  } finally {
    await rmdir(probe).catch(() => {});
  }
}
