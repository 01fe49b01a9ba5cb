import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import { statSync, variablesSync } from '../../platform/proc.ts';
import { MARKS } from '../../runner/run-place.ts';
import { homePaths } from '../home.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The run inside of which this process was started. */
export interface SurroundingRun {
  /** Where its files are; unknown where nothing is left that says so. */
  readonly directory: string | undefined;
  readonly id: string | undefined;
}

const DIRECTORY = 'FLEET_RUN_DIR';
const [ID, MARK, SHIM_MARK] = MARKS;
const TRACES = [DIRECTORY, ...MARKS];
/** Nobody types a command so many processes deep. */
const MOST_ANCESTORS = 64;

/**
 * The run of the fleet that is meant, if this process is a part of one. Its own variables say so, or those of a process it
 * descends from: who unsets them stays what he is. A home that is named and is not that of the run is another fleet:
 * whoever tests one inside of a run is its owner. Only Linux tells of ancestors.
 */
export function surroundingRun(env: Env, cwd: string): SurroundingRun | undefined {
  const traces = [env, ...ancestors()].filter((one) => TRACES.some((name) => one[name]));
  if (traces.length === 0) return undefined;
  const home = homePaths(env, cwd).path;
  const mark = markIn(home);
  const marked = traces.filter((one) => mark !== undefined && (one[MARK] === mark || one[SHIM_MARK] === mark));
  const id = marked.map((one) => one[ID]).find((one) => one);
  if (marked.length > 0) return { id, directory: id ? join(home, 'runs', id) : undefined };
  const directories = traces.flatMap((one) => one[DIRECTORY] || []).map((path) => resolve(cwd, path));
  if (!env['FLEET_HOME']) return { id: traces.map((one) => one[ID]).find((one) => one), directory: directories[0] };
  const own = directories.find((path) => dirname(dirname(path)) === home);
  return own === undefined ? undefined : { id: undefined, directory: own };
}

/** Whoever acts for the owner of a home asks this first. */
export function assertNoRun(env: Env, cwd: string): void {
  const run = surroundingRun(env, cwd);
  if (run)
    throw new Fault('forbidden', `${said(run)}: what is asked here only its owner may do, who is not inside of a run`, {
      hint: 'type it in a terminal of your own; inside of a run, `fleet run context` says what there is to do',
    });
}

export const said = ({ id, directory }: SurroundingRun): string =>
  `this process belongs to a run of Fleet${id ? `, ${id}` : directory ? `, that of ${directory}` : ''}`;

function ancestors(): Readonly<Record<string, string>>[] {
  const found: Readonly<Record<string, string>>[] = [];
  for (let pid = process.pid; pid > 1 && found.length < MOST_ANCESTORS; pid = statSync(pid)?.parent ?? 0)
    found.push(variablesSync(pid, TRACES));
  return found;
}

/** No run was ever started in a home without one. */
function markIn(home: string): string | undefined {
  try {
    return readFileSync(join(home, 'mark'), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
