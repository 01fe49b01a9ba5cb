import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isWithin } from '../../sandbox/profile.ts';
import type { SandboxUser } from '../../sandbox/user.ts';

/** What keeps a user from a program: a file that may not be run or read, or a directory on the way that may not be entered. */
export interface Barrier {
  readonly at: string;
  readonly isDirectory: boolean;
}

/** What it says to a person, who is to repair it. */
export const barrierText = ({ at, isDirectory }: Barrier, user: string): string =>
  `${at} may not be ${isDirectory ? 'entered' : 'run'} by ${user} (sandbox_user), as whom it would run`;

export const barrierRepair = ({ at, isDirectory }: Barrier): string =>
  `chmod ${at.includes('/node_modules') ? '-R o+rX' : isDirectory ? 'o+x' : 'o+rx'} ${inShell(at)}`;

/** One word of a command, to be typed. */
export const inShell = (path: string): string => (/^[\w@%+=:,./~-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);

/**
 * The first thing on the way to a program that stops this user in a sandbox that shows these paths. What lies above the
 * outermost of them is made for the sandbox, and stops nobody.
 */
export async function barrierTo(program: string, user: SandboxUser, shown: readonly string[]): Promise<Barrier | undefined> {
  const around = shown.filter((path) => isWithin(program, path)).toSorted((a, b) => a.length - b.length)[0] ?? program;
  for (const at of downTo(program, around)) {
    const found = await lstat(at).catch(() => undefined);
    // What a link leads to is shown by itself.
    if (!found || found.isSymbolicLink()) return undefined;
    const needed = found.isDirectory() ? ENTERED : isRun(found, program) ? ENTERED | READ : READ;
    if ((rightsOf(found, user) & needed) !== needed) return { at, isDirectory: found.isDirectory() };
  }
  return undefined;
}

const READ = 0o4;
const ENTERED = 0o1;

/** Some are no programs of the system, but read by one: nobody may run them, and nobody needs to. */
const isRun = ({ mode }: { readonly mode: number }, program: string): boolean =>
  (mode & 0o111) !== 0 || !/\.[cm]?js$/.test(program);

function downTo(path: string, from: string): string[] {
  const steps = [path];
  for (let at = path; at !== from && at !== dirname(at); at = dirname(at)) steps.unshift(dirname(at));
  return steps;
}

function rightsOf({ mode, uid, gid }: { mode: number; uid: number; gid: number }, user: SandboxUser): number {
  if (uid === user.uid) return (mode >> 6) & 0o7;
  return (gid === user.gid ? mode >> 3 : mode) & 0o7;
}
