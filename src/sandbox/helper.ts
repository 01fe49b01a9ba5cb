import type { ChildProcess } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { type LentFile, lend } from './lend.ts';
import { type Machine, machineHere } from './machine.ts';
import { isWithin, type Mount, profileOf } from './profile.ts';
import { startBwrap } from './start-bwrap.ts';
import type { SandboxUser } from './user.ts';

/** A program of Fleet's own that looks at what an agent made: as confined as the agent, and without network. */
export interface Helper {
  readonly bwrap: string;
  /** What it reads and writes, besides the system's programs. */
  readonly mounts: readonly Mount[];
  readonly directory: string;
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  /** Files of the command that may lie elsewhere than the system's programs do. */
  readonly programs: readonly string[];
  /** Whom root starts it for; absent: whoever the first thing belongs to that is mounted and is not root's. */
  readonly user?: SandboxUser;
}

const MEMORY_BYTES = 64 * 1024 * 1024;

export const helperProfile = (
  { mounts, directory, programs }: Omit<Helper, 'bwrap' | 'env' | 'command'>,
  machine: Machine,
  user?: SandboxUser,
): string[] =>
  profileOf({
    machine,
    hidden: ['/tmp'],
    mounts: [...programs.filter((path) => !machine.directories.some((place) => isWithin(path, place))).map(readable), ...mounts],
    directory,
    network: 'own',
    memoryBytes: MEMORY_BYTES,
    user,
  });

const readable = (path: string): Mount => ({ from: path, at: path, as: 'read' });

/**
 * Starts it with these streams: the first three and perhaps more, which are what it has and no others. Ends with SIGKILL; it
 * also dies with the thread that started it.
 */
export async function startHelper(
  helper: Helper,
  streams: readonly ('ignore' | 'pipe' | number)[] = ['ignore', 'pipe', 'pipe'],
): Promise<ChildProcess> {
  const { bwrap, command, directory } = helper;
  const user = helper.user ?? (await ownerOf(helper.mounts));
  if (user) lend(helper.mounts.flatMap(lentBy), user);
  const profile = helperProfile(helper, await machineHere(), user);
  return startBwrap({ bwrap, profile, command, directory, user }, streams, {
    cwd: '/',
    env: { ...helper.env },
  });
}

/** What an agent made as another user only that one can read: root has no more rights in a sandbox than anybody. */
async function ownerOf(mounts: readonly Mount[]): Promise<SandboxUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const found = await Promise.all(mounts.map(({ from }) => lstat(from).catch(() => undefined)));
  const { uid, gid } = found.find((one) => one !== undefined && one.uid !== 0 && one.gid !== 0) ?? {};
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}

const lentBy = ({ from, as }: Mount): LentFile[] => (as === 'device' ? [] : [{ path: from, as }]);
