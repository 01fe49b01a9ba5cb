import { readdir } from 'node:fs/promises';
import { RunId, TaskId } from '../domain/values.ts';
import { type AgentPath, agentPath } from '../platform/agent-path.ts';
import { removeSafely } from '../platform/write-safely.ts';
import type { Store } from '../store/port.ts';
import { runs } from '../store/records/runs.ts';
import { tasks } from '../store/records/tasks.ts';
import type { HomePaths } from './home.ts';

/**
 * Output and notes of runs and tasks that are in no row any more. A run has its row before it has a directory, so what
 * has none was deleted; whatever else lies there is not ours to remove.
 */
export async function dropLeftovers(store: Store, paths: HomePaths): Promise<number> {
  const gone = [
    ...(await namesIn(
      paths.runs,
      (name) => RunId.safeParse(name).success,
      (id) => runs.get(store, id),
    )),
    ...(await namesIn(
      paths.tasks,
      (name) => TaskId.safeParse(name).success,
      (id) => tasks.get(store, id),
    )),
  ];
  for (const path of gone) await removeSafely(path);
  return gone.length;
}

async function namesIn(
  directory: string,
  isOurs: (name: string) => boolean,
  find: (id: string) => Promise<unknown>,
): Promise<AgentPath[]> {
  const names = (await readdir(directory).catch(() => [])).filter(isOurs);
  const found = await Promise.all(names.map(find));
  return names.filter((_, at) => found[at] === undefined).map((name) => agentPath(directory, name));
}
