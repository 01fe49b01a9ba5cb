import { type ProcessStat, statSync, variablesSync } from '../platform/proc.ts';

/** One run, as the runner knows it: where its files are, and how its processes are marked. */
export interface RunFiles {
  readonly directory: string;
  readonly id: string;
  /** Random, one per home: a run id of another home, or of a test, never matches. */
  readonly mark: string;
}

const ID = 'FLEET_RUN_ID';
const MARK = 'FLEET_RUN_MARK';
const SHIM_MARK = 'FLEET_SHIM_MARK';
export const MARKS = [ID, MARK, SHIM_MARK] as const;

/** Every process of a run inherits these; they are how it is found again. */
export const marksOf = ({ id, mark }: RunFiles): Record<string, string> => ({ [ID]: id, [MARK]: mark });

/** A shim that was started in advance carries the mark of its home alone, and so does its child until that is the agent. */
export const shimMark = (mark: string): Record<string, string> => ({ [SHIM_MARK]: mark });

export const isShimOf = (variables: Readonly<Record<string, string>>, mark: string): boolean => variables[SHIM_MARK] === mark;

export const runIdIn = (variables: Readonly<Record<string, string>>, mark: string): string | undefined =>
  variables[MARK] === mark ? variables[ID] : undefined;

/** A process as the shim wrote it down. */
export interface RecordedProcess {
  readonly pid: number;
  readonly started: string;
}

/**
 * The recorded process, if it still is what it was: same pid, same start, and marked as this run's. The start time has
 * a resolution of 10 ms, so that a pid used again at once could pass without the mark.
 */
export function recordedSync(run: RunFiles, { pid, started }: RecordedProcess): ProcessStat | undefined {
  const stat = statSync(pid);
  if (stat?.started !== started) return undefined;
  return isMarked(run, pid) ? stat : undefined;
}

/** As this run's; or as a shim of the home's, of which the run's directory must say the rest. */
export function isMarked(run: RunFiles, pid: number): boolean {
  const variables = variablesSync(pid, MARKS);
  return runIdIn(variables, run.mark) === run.id || isShimOf(variables, run.mark);
}

/** The files of a run directory. All of them at every look at every run, so they are put together as cheaply as can be. */
export const filesOf = ({ directory }: Pick<RunFiles, 'directory'>) => ({
  /** Who may start: the shim, or a supervisor that recovers. Made once, by one of them. */
  claim: `${directory}/claim`,
  /** Shim, agent and pump. Written before the agent's first instruction. */
  id: `${directory}/id`,
  in: `${directory}/in`,
  out: `${directory}/out`,
  err: `${directory}/err`,
  /** How the agent ended. */
  exit: `${directory}/exit`,
  /** Where the agent was to be put before its start, if there is such a place. */
  cgroup: `${directory}/cgroup`,
  /** What was asked for: the command and the names of its variables, never their values. */
  job: `${directory}/job.json`,
  /** What it took too much of, when it was ended for that by whoever owns its sandbox. */
  exceeded: `${directory}/exceeded`,
  /** Carries `in` to a two-way agent. */
  pipe: `${directory}/pipe`,
});
