import { Fault } from '../../domain/fault.ts';
import { gitFault } from '../git.ts';
import { type GitEnd, runGit } from '../run-git.ts';
import { closedEnvironment, quotedPath } from './closed-environment.ts';

/** Where a git of ours works for a private clone: parts that only Fleet writes. */
export interface ClosedPlace {
  readonly gitDir: string;
  /** Only ever a tree that no agent has been in since Fleet wrote it. */
  readonly workTree?: string | undefined;
  readonly index?: string | undefined;
  /** Where objects are written. */
  readonly objects?: string | undefined;
  /** Further places where objects are found. */
  readonly alternates?: readonly string[] | undefined;
}

interface ClosedOptions {
  readonly input?: string | Uint8Array | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxBytes?: number | undefined;
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

const TIMEOUT_MS = 120_000;

/** Git that obeys nobody's settings: neither the user's, nor a repository's, nor an agent's. It reaches no network. */
export function closedGit(
  place: ClosedPlace,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { timeoutMs = TIMEOUT_MS, ...options }: ClosedOptions = {},
): Promise<GitEnd> {
  return runGit(args, {
    input: options.input,
    maxBytes: options.maxBytes,
    timeoutMs: timeoutMs === 0 ? undefined : timeoutMs,
    cwd: place.workTree ?? place.gitDir,
    env: { ...closedEnvironment(env), ...variablesOf(place), ...options.variables },
  });
}

export const variablesOf = ({ gitDir, workTree, index, objects, alternates }: ClosedPlace): Record<string, string> => ({
  GIT_DIR: gitDir,
  ...(workTree === undefined ? {} : { GIT_WORK_TREE: workTree }),
  ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
  ...(objects === undefined ? {} : { GIT_OBJECT_DIRECTORY: objects }),
  ...(alternates?.length ? { GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates.map(quotedPath).join(':') } : {}),
});

/** The output of a call that has no reason to fail but the state of the machine. */
export async function closedOutput(
  place: ClosedPlace,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  options: ClosedOptions = {},
): Promise<Buffer> {
  const end = await closedGit(place, args, env, options);
  if (end.code === 0) return end.out;
  if (end.stopped === 'time') throw new Fault('unavailable', `git ${args[0]} took too long in ${place.gitDir}`);
  throw gitFault(args, end);
}
