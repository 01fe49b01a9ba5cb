import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { closeInherited } from '../platform/descriptors.ts';
import { limitArguments, type SandboxLimits } from './limits.ts';
import { processorHere, seccompFilter } from './seccomp.ts';
import { asUser, type SandboxUser } from './user.ts';

export interface StartedBwrap {
  readonly bwrap: string;
  /** From `profileOf`. */
  readonly profile: readonly string[];
  readonly command: readonly string[];
  /** The same that the profile was made for. */
  readonly directory: string;
  readonly user?: SandboxUser | undefined;
  readonly limits?: SandboxLimits | undefined;
  /** Of the group that holds it: it goes in there before anything else. Where that is refused it does without. */
  readonly groupDoor?: string | undefined;
}

/**
 * It yields the processor to everybody else, and when memory runs out it is ended before others. When it crashes, the kernel neither
 * leaves a file nor hands its memory to a program of the machine: that program is started for every limit but one byte.
 */
const BEFORE = `trap '' TERM INT HUP QUIT
[ -z "$1" ] || { echo $$ > "$1"; } 2> /dev/null
shift
prlimit --pid $$ --core=1:1 2> /dev/null || ulimit -c 0
{ echo 500 > /proc/self/oom_score_adj; } 2> /dev/null
command -v nice > /dev/null && exec nice -n 5 "$@"
exec "$@"`;

type Stream = 'ignore' | 'inherit' | 'pipe' | number;

/**
 * Starts bubblewrap with these streams, the first three and perhaps more, and the filter of system calls at the next
 * descriptor; the command gets no others, whatever this process was started with. Signals that ask to end are not for bubblewrap: what is ignored stays ignored
 * across exec, and the command has to set them back if it wants to hear them (Node does).
 */
export function startBwrap(
  { bwrap, profile, command, directory, user, limits, groupDoor = '' }: StartedBwrap,
  streams: readonly Stream[],
  options: SpawnOptions = {},
): ChildProcess {
  const processor = processorHere();
  if (processor === undefined) throw new Error(`no filter of system calls is known for ${process.arch}`);
  closeInherited();
  const args = [
    ...profile,
    '--seccomp',
    String(streams.length),
    '--',
    ...(user ? asUser(user, directory) : []),
    ...(limits ? limitArguments(limits) : []),
    ...command,
  ];
  const shell = ['-c', BEFORE, 'fleet', groupDoor, bwrap];
  const child = spawn('/bin/sh', [...shell, ...args], { ...options, stdio: [...streams, 'pipe'] });
  const filter = child.stdio[streams.length] as Writable | null | undefined;
  // One that ended at once says by its end what was wrong.
  filter?.on('error', () => undefined).end(seccompFilter(processor));
  return child;
}
