import { mkdir, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { applyFileOpsSync, type FileOp } from '../platform/file-ops.ts';
import { hasCode, PRIVATE_DIRECTORY, PRIVATE_FILE } from '../platform/files.ts';
import { bootIdSync } from '../platform/proc.ts';
import { cgroupOf, removeCgroup } from './cgroup.ts';
import { markedIn, readProcessTable } from './process-table.ts';
import { readCgroup, readClaim, readExit, readIdentity, SUPERVISOR_CLAIM } from './run-facts.ts';
import { filesOf, isMarked, type RecordedProcess, type RunFiles, recordedSync } from './run-place.ts';

/** All that is needed to start an agent. */
export interface RunSpec extends RunFiles {
  readonly command: string;
  readonly args: readonly string[];
  readonly workDirectory: string;
  /** The whole environment; the marks are added. It is handed over in memory and never written to disk. */
  readonly env: Readonly<Record<string, string>>;
  /** `oneway`: stdin is empty. `twoway`: it reads what is appended to `in`. */
  readonly mode: 'oneway' | 'twoway';
  /** More files for the directory, by plain name. */
  readonly files?: readonly { readonly name: string; readonly text: string }[];
  /** From `findCgroupParent`; absent: processes are found by mark, kinship and group. */
  readonly cgroupParent?: string;
}

/**
 * - `unclaimed`: nothing was started. Whoever `arbitrate`s and wins may start the work elsewhere.
 * - `never`: nothing was started and nothing will be: a supervisor holds the claim, or the shim died before the agent.
 * - `starting`: the shim lives and has not started the agent yet.
 * - `alive`: the shim lives and will write `exit`.
 * - `ended`: `readExit` says how.
 * - `dead`: the shim is gone and will never say how it ended. Agents may live on: call `endRun`.
 */
export type DirectoryState = 'unclaimed' | 'never' | 'starting' | 'alive' | 'ended' | 'dead';

export interface RunnerHost {
  readonly bootIdPath?: string;
  /** From a start a moment ago: where it still is this run's shim, no other process need be asked. */
  readonly shimPid?: number | undefined;
}

const plainName = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/;

/**
 * Everything the shim needs; again after a crash in the middle, if need be. Nothing is flushed to disk: after a loss of
 * power the agent is gone too, and the boot says so.
 */
export function runDirectory(spec: RunSpec): FileOp[] {
  if (!plainName.test(spec.id)) throw new Error(`${JSON.stringify(spec.id)} cannot name a run: letters, digits, . _ - only`);
  const files = (spec.files ?? []).map(({ name, text }) => ({ path: join(spec.directory, checkedName(spec, name)), text }));
  const own = filesOf(spec);
  // Here and not by the shim, whose umask is the agent's. A second time they stay as they are.
  const spools = spec.mode === 'twoway' ? [own.out, own.err, own.in] : [own.out, own.err];
  const cgroup = spec.cgroupParent === undefined ? undefined : cgroupOf(spec.cgroupParent, spec);
  // Written down before it is made by whoever starts the shim: it can then always be found and removed.
  const below = dirname(spec.directory);
  const cgroupFile = cgroup === undefined ? [] : [{ path: own.cgroup, text: `${cgroup}\n` }];
  return [
    { lay: 'directory', path: spec.directory, below },
    ...spools.map((path) => ({ lay: 'once', path, below, text: '' }) as const),
    ...[{ path: own.job, text: jobText(spec) }, ...files, ...cgroupFile].map(
      (file) => ({ lay: 'file', below, ...file }) as const,
    ),
  ];
}

export const prepareRunDirectory = async (spec: RunSpec): Promise<void> => applyFileOpsSync(runDirectory(spec));

/** Settles who goes on with a run that shows no sign of a shim. A shim that comes later finds the claim and starts nothing. */
export async function arbitrate(run: RunFiles): Promise<'won' | 'lost'> {
  await mkdir(run.directory, { recursive: true, mode: PRIVATE_DIRECTORY });
  try {
    const handle = await open(filesOf(run).claim, 'wx', PRIVATE_FILE);
    try {
      await handle.writeFile(SUPERVISOR_CLAIM);
    } finally {
      await handle.close();
    }
    const cgroup = await readCgroup(run);
    if (cgroup !== undefined) await removeCgroup(cgroup);
    return 'won';
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return 'lost';
    throw error;
  }
}

export async function stateOf(run: RunFiles, host: RunnerHost = {}): Promise<DirectoryState> {
  if (await readExit(run)) return 'ended';
  const identity = await readIdentity(run);
  return identity ? afterStart(run, identity, host) : beforeStart(run, host);
}

async function afterStart(run: RunFiles, shim: RecordedShim, host: RunnerHost): Promise<DirectoryState> {
  if (isHere(run, shim, host)) return 'alive';
  // It may have written its last words while we looked for its process.
  return (await readExit(run)) ? 'ended' : 'dead';
}

async function beforeStart(run: RunFiles, host: RunnerHost): Promise<DirectoryState> {
  const claim = await readClaim(run);
  if (claim?.by === 'supervisor') return 'never';
  if (claim?.by === 'shim' && isHere(run, claim, host)) return 'starting';
  if (!claim && host.shimPid !== undefined && isMarked(run, host.shimPid)) return 'starting';
  const lives = markedIn(await readProcessTable(), run, claim?.by === 'shim' ? claim.shim.pid : undefined).length > 0;
  // It may have come further while we looked.
  if (await readExit(run)) return 'ended';
  const identity = await readIdentity(run);
  if (identity) return afterStart(run, identity, host);
  // A shim killed before `id` was written may leave the child that is about to become the agent.
  if (lives) return claim?.by === 'shim' ? 'dead' : 'starting';
  return claim ? 'never' : 'unclaimed';
}

interface RecordedShim {
  readonly shim: RecordedProcess;
  readonly boot: string;
}

const isHere = (run: RunFiles, { shim, boot }: RecordedShim, { bootIdPath }: RunnerHost): boolean =>
  boot === bootIdSync(bootIdPath) && recordedSync(run, shim) !== undefined;

function jobText(spec: RunSpec): string {
  const { id, command, args, workDirectory, mode } = spec;
  return `${JSON.stringify({ id, command, args, workDirectory, mode, env: Object.keys(spec.env).toSorted() }, null, 2)}\n`;
}

function checkedName({ id }: RunSpec, name: string): string {
  if (plainName.test(name) && !Object.values(filesOf({ directory: '/' })).some((own) => basename(own) === name)) return name;
  throw new Error(`${JSON.stringify(name)} cannot be a file of run ${id}: not a plain name, or one the runner uses itself`);
}
