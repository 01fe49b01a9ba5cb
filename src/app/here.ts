import type { Call } from '../contract/call.ts';
import { isInside } from '../operations/task/work-place.ts';
import { exists } from '../platform/files.ts';
import { writeJson } from '../surfaces/cli/answer.ts';
import type { Io } from '../surfaces/cli/deps.ts';
import { EXIT_CODES } from '../surfaces/cli/exit-codes.ts';
import { type HereView, herePage } from '../surfaces/cli/views/home/here.ts';
import { viewStyleOf } from '../surfaces/cli/views/style.ts';
import { inspect } from '../workspace/inspect.ts';
import { connect } from './connect/connect.ts';
import { homePaths } from './home.ts';
import { VERSION } from './version.ts';

/** `fleet` without a word: what is here, and what to type next. Makes no database where there is none. */
export async function showHere(io: Io, json: boolean): Promise<number> {
  const connection = await connect(io.env, io.cwd);
  try {
    const here: HereView = {
      version: VERSION,
      directory: io.cwd,
      ...(await placeOf(io)),
      ...(await fleetOf(connection.call, io)),
    };
    if (json) await writeJson(io, here);
    else await io.out(herePage(here, viewStyleOf({ ...io, input: {} })));
    return EXIT_CODES.ok;
  } finally {
    await connection.close();
  }
}

async function placeOf({ cwd, cwdIsGone, env }: Io): Promise<Pick<HereView, 'repository' | 'problem'>> {
  if (cwdIsGone) return { problem: 'it is gone' };
  const place = await inspect(cwd, env);
  if (place.kind === 'unusable') return { problem: place.why };
  if (place.kind === 'directory') return {};
  const { path, branch, hasCommit } = place;
  return { repository: { path, branch, hasCommit } };
}

/** Tasks that are counted; a glance at the newest is enough here. */
const COUNTED = 200;

async function fleetOf(call: Call, io: Io): Promise<Pick<HereView, 'project' | 'tasks' | 'engineRuns' | 'agents'>> {
  const { items } = await call('executor.list', {});
  const agents = items
    .filter(({ program, origin }) => program !== undefined || origin !== 'built_in')
    .map(({ name, state, problem }) => ({ name, ready: state === 'ready', problem }));
  if (io.env['FLEET_URL'] === undefined && !(await exists(homePaths(io.env, io.cwd).database)))
    return { tasks: {}, engineRuns: false, agents };
  const [projects, { engine }] = await Promise.all([call('project.list', {}), call('fleet.status', {})]);
  const [around] = projects.items.filter(({ path }) => isInside(io.cwd, path)).toSorted((a, b) => b.path.length - a.path.length);
  const found = await call('task.list', { limit: COUNTED, ...(around ? { project: around.id } : {}) });
  const tasks: Record<string, number> = {};
  for (const { phase } of found.items) tasks[phase.state] = (tasks[phase.state] ?? 0) + 1;
  return { ...(around ? { project: around.name } : {}), tasks, engineRuns: engine.running, agents };
}
