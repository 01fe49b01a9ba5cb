import { belowPlace } from '../platform/agent-path.ts';
import type { SeenProcess } from '../platform/proc.ts';
import { lookSync } from '../platform/read-safely-sync.ts';
import { markedIn, readProcessTable, withDescendants } from './process-table.ts';
import { filesOf, type RunFiles } from './run-place.ts';

export interface SpoolSign {
  readonly bytes: number;
  readonly changedAtMs: number;
}

export interface SignsOfLife {
  readonly processes: number;
  /** Clock ticks used so far by all processes of the run: whoever thinks without a word still uses some. */
  readonly ticks: number;
  /** Undefined when the file is gone. */
  readonly out: SpoolSign | undefined;
  readonly err: SpoolSign | undefined;
}

/** By run id, from one look at the machine. */
export async function signsOfLife(runs: readonly RunFiles[]): Promise<Map<string, SignsOfLife>> {
  if (runs.length === 0) return new Map();
  const table = await readProcessTable();
  return new Map(runs.map((run) => [run.id, signsOf(run, table)]));
}

function signsOf(run: RunFiles, table: readonly SeenProcess[]): SignsOfLife {
  const files = filesOf(run);
  const [out, err] = [spoolSign(files.out), spoolSign(files.err)];
  const members = withDescendants(table, markedIn(table, run));
  return { processes: members.length, ticks: members.reduce((sum, { ticks }) => sum + ticks, 0), out, err };
}

function spoolSign(path: string): SpoolSign | undefined {
  const found = lookSync(belowPlace(path));
  return found && { bytes: found.size, changedAtMs: found.mtimeMs };
}
