import { seesAll } from '../../domain/authority.ts';
import { Fault } from '../../domain/fault.ts';
import { shortageText } from '../../domain/hold/disk-room.ts';
import { isSettingName } from '../../domain/settings.ts';
import { PHASE_STATES } from '../../domain/task/task.ts';
import { allHits } from '../../store/queries/every-hit.ts';
import { projectIndex, projects } from '../../store/records/projects.ts';
import { questionIndex, questions } from '../../store/records/questions.ts';
import { gauges } from '../../store/records/singles.ts';
import { taskIndex, tasks } from '../../store/records/tasks.ts';
import { pausesInForce } from '../pause/pause.ts';
import { type Handlers, type NotInForce, plan, type Scope } from '../scope.ts';
import { heldUp } from '../task/held-up.ts';
import { liveView, viewOf } from '../task/view.ts';

export const homeHandlers: Pick<Handlers, 'home.init' | 'config.show' | 'config.set' | 'fleet.status'> = {
  'home.init': async (_input, { home, upkeep }) => {
    const created = await home.init();
    await upkeep.migrate();
    return plan({ home: home.path, created: [...created] });
  },

  'config.show': async ({ name }, { settings, home }) => {
    const { file, problem, items, notInForce = [] } = settings.current();
    // Settings can be read while the database cannot.
    const engine = await home.engine().catch(() => undefined);
    if (name !== undefined && !isSettingName(name))
      throw new Fault('not_found', `no setting ${JSON.stringify(name)}: \`fleet config show\` lists them`);
    return plan({
      file,
      ...(problem ? { problem } : {}),
      items: items.filter((item) => name === undefined || item.name === name),
      by: engine?.pid === home.pid ? 'engine' : 'command',
      ...(engine ? { engine: engine.pid } : {}),
      notInForce: notInForce.filter((one) => name === undefined || one.name === name),
    });
  },

  'config.set': async ({ assignments }, { settings, reads, caller }) => {
    if (caller.team !== undefined)
      throw new Fault('forbidden', `${caller.name} belongs to team ${caller.team}: settings are those of the whole fleet`);
    await assertProjects(assignments.flatMap(limitedProjects), reads);
    await settings.set(assignments);
    const { file, items } = settings.current();
    const touched = new Set(assignments.map((assignment) => assignment.split(/[=.]/, 1)[0]));
    return plan({ file, items: items.filter(({ name }) => touched.has(name)) });
  },

  'fleet.status': async (_input, scope) => {
    const { reads, home, settings } = scope;
    const engine = await home.engine();
    const { values, problem, notInForce = [] } = settings.current();
    const [known, short] = await Promise.all([projectNamesIn(reads), scope.dispatching.diskShort()]);
    return plan({
      home: home.path,
      engine: engine ? { running: true, ...engine } : { running: false },
      counts: await counted(scope, engine !== undefined),
      projects: known.length,
      running: (await Promise.all(AT_WORK.map((state) => tasksIn(state, scope)))).flat(),
      blocked: await tasksIn('blocked', scope),
      questions: (await reads.scan({ index: questionIndex.pending, limit: SHOWN })).map(questions.read),
      heldUp: await heldUp(scope),
      pauses: await pausesInForce(scope),
      problems: [
        problem,
        home.problem(),
        short && shortageText(short),
        ...notInForce.map(unheeded),
        ...Object.keys(values.limit_project).map((name) => (known.includes(name) ? undefined : limitsNobody(name))),
      ].filter((said) => said !== undefined),
    });
  },
};

const projectNamesIn = async (reads: Scope['reads']): Promise<readonly string[]> =>
  (await allHits(reads, projectIndex.all)).map((hit) => projects.read(hit).name);

const limitsNobody = (name: string): string => `limit_project: there is no project ${JSON.stringify(name)}, so it limits nothing`;

/** A limit for a project that is not there would have no effect. */
async function assertProjects(names: readonly string[], reads: Scope['reads']): Promise<void> {
  if (names.length === 0) return;
  const known = await projectNamesIn(reads);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Fault('invalid', `nothing was changed: ${limitsNobody(unknown)}; known are ${known.join(', ') || 'none yet'}`);
}

/** The projects an assignment gives a limit to; taking one away needs no project, and what cannot be read is refused later. */
function limitedProjects(assignment: string): readonly string[] {
  const [, sign, rest = ''] = /^limit_project([.=])(.*)$/s.exec(assignment) ?? [];
  if (sign === '.') return /^(.+)=.+$/s.exec(rest)?.slice(1) ?? [];
  if (sign !== '=') return [];
  try {
    return Object.keys(JSON.parse(rest));
  } catch {
    return rest.split(',').flatMap(
      (part) =>
        /^(.+)=/s
          .exec(part)
          ?.slice(1)
          .map((name) => name.trim()) ?? [],
    );
  }
}

const unheeded = ({ variable, given, inForce }: NotInForce): string =>
  `${variable}=${JSON.stringify(given)} of this command is not in force: the running engine goes by ${JSON.stringify(inForce ?? null)}`;

const SHOWN = 20;
const AT_WORK = ['running', 'verifying', 'merging'];

const tasksIn = async (state: string, scope: Scope) => {
  const hits = await scope.reads.scan({ index: taskIndex.state(state), limit: SHOWN, reverse: true });
  return Promise.all(hits.map(async (hit) => liveView(await viewOf(tasks.read(hit), scope), scope)));
};

/** So many tasks are counted at once, whatever the gauge says: a small fleet is never shown as it was. */
const FEW = 500;

/** A running engine keeps exact counts of many tasks, with their age. A few are counted now, each phase as far as one scan goes. */
async function counted({ reads, caller }: Scope, fresh: boolean) {
  // The gauge counts everybody's tasks.
  const gauge = fresh && seesAll(caller) ? await gauges.get(reads, 'tasks') : undefined;
  const many = Object.values(gauge?.body.counts ?? {}).reduce((sum, count) => sum + count, 0) > FEW;
  if (gauge && many) return { tasks: gauge.body.counts, atLeast: [], at: gauge.body.at };
  const most = reads.limits.rowsPerScan;
  const found = await Promise.all(
    PHASE_STATES.map(
      async (state) => [state, (await reads.scan({ index: taskIndex.state(state), limit: most })).length] as const,
    ),
  );
  return { tasks: Object.fromEntries(found), atLeast: found.filter(([, count]) => count === most).map(([state]) => state) };
}
