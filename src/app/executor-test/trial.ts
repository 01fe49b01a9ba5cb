import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Call, InputOf, OutputOf } from '../../contract/call.ts';
import type { RunView } from '../../contract/run.ts';
import type { TaskView } from '../../contract/shapes.ts';
import { isFinal } from '../../domain/task/task.ts';
import type { TaskId } from '../../domain/values.ts';
import { survivors } from '../../runner/process-table.ts';
import { simulatedAgentEnv } from '../../simulate/agents.ts';
import type { Simulator } from '../../simulate/simulator.ts';
import type { Io } from '../../surfaces/cli/deps.ts';
import { startInBackground, stopEngine } from '../background.ts';
import { git, ownEnvironment } from '../demo/scratch.ts';
import { homePaths } from '../home.ts';
import { type FleetServices, openServices } from '../open-services.ts';
import { SCENARIO } from './prompts.ts';

/** A fleet of its own, with one small repository, in which one executor is tried. */
export interface Trial {
  readonly call: Call;
  create(wish: Omit<InputOf<'task.create'>, 'project' | 'executor'>): Promise<TaskId>;
  /** The task and its newest run, once it is so; undefined when it is not in time. */
  until(id: TaskId, isSo: (seen: TrialResult) => boolean): Promise<TrialResult | undefined>;
  /** Processes that are left of any run. */
  left(): Promise<readonly string[]>;
  /** Ends whatever still runs, and the fleet. */
  leave(): Promise<void>;
}

export interface TrialResult {
  readonly task: TaskView;
  readonly run: RunView | undefined;
}

export interface TrialWish {
  readonly io: Io;
  readonly executor: string;
  /** Without it the agent has the user's own surroundings, and its own model. */
  readonly simulator?: Pick<Simulator, 'run'> | undefined;
  readonly longestMs: number;
  readonly signal: AbortSignal;
}

const everyMs = 100;
const leaveMs = 30_000;

/** Whatever happens in it, nothing of it is left but when `leave` could not. */
export async function inTrial<Value>(wish: TrialWish, use: (trial: Trial) => Promise<Value>): Promise<Value> {
  // Beside the home, because some agents keep nothing under a directory for temporary files.
  const beside = homePaths(wish.io.env, wish.io.cwd).path;
  await mkdir(dirname(beside), { recursive: true });
  const place = await realpath(await mkdtemp(`${beside}-trial-`));
  const home = join(place, 'home');
  try {
    const env = await surroundings(wish, place, home);
    const io = { ...wish.io, env, cwd: place };
    await furnish(place, home, wish);
    const house = await openServices(env, place);
    try {
      await setUp(house.call, join(place, 'repository'));
      await startInBackground(io, ['--port', '0']);
      return await use(trialOf(house, { ...wish, io }));
    } finally {
      await house.close();
    }
  } finally {
    await rm(place, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function surroundings({ io, simulator }: TrialWish, place: string, home: string): Promise<Io['env']> {
  const own = ownEnvironment(io.env, home);
  if (!simulator) return own;
  const directory = join(place, 'agents');
  const { url } = simulator.run(SCENARIO, 'trial');
  const { set, unset, files } = simulatedAgentEnv({ url, directory, isSubscription: false });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  const kept = Object.entries(own).filter(([name]) => !unset.includes(name));
  // A proxy of the network cannot reach what listens on this machine.
  return { ...Object.fromEntries(kept), ...set, NO_PROXY: LOCAL, no_proxy: LOCAL };
}

const LOCAL = '127.0.0.1,localhost';

/** The user's own executors come along, as they are. */
async function furnish(place: string, home: string, { io }: TrialWish): Promise<void> {
  const repository = join(place, 'repository');
  await mkdir(repository);
  await mkdir(home, { mode: 0o700 });
  await cp(homePaths(io.env, io.cwd).executors, join(home, 'executors'), { recursive: true, errorOnExist: false }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    },
  );
  await writeFile(join(repository, 'README'), 'A place to try an agent.\n');
  const at = { repository, io: { ...io, env: ownEnvironment(io.env, home) } };
  await git(at, 'init', '--quiet', '--initial-branch=main');
  await git(at, 'config', 'user.name', 'trial');
  await git(at, 'config', 'user.email', 'trial@example.invalid');
  await git(at, 'add', '--all');
  await git(at, 'commit', '--quiet', '--message', 'begin');
}

/** Each attempt is one: what goes wrong is to be seen, not to be tried again. */
async function setUp(call: Call, repository: string): Promise<void> {
  await call('home.init', {});
  await call('config.set', { assignments: ['grace_seconds=2', 'max_attempts=1', 'max_repairs=0', 'scripted=true'] });
  await call('project.add', { path: repository, name: 'trial', integration: 'review' });
}

function trialOf(house: FleetServices, { io, executor, longestMs, signal }: TrialWish): Trial {
  const { call } = house;
  const look = async (id: TaskId): Promise<TrialResult> => {
    const task = await call('task.show', { id });
    const runs = await call('run.list', { task: id, limit: 10 });
    return { task, run: runs.items.find(({ kind }) => kind === 'agent') };
  };
  const left = async () => {
    const mark = (await readFile(join(house.paths.path, 'mark'), 'utf8').catch(() => '')).trim();
    return mark === '' ? [] : (await survivors(mark)).map(({ pid, runId }) => `process ${pid} of ${runId}`);
  };
  return {
    call,
    left,
    create: async (wish) => (await call('task.create', { ...wish, project: 'trial', executor: [executor] })).id,
    until: async (id, isSo) => {
      const end = io.elapsed() + longestMs;
      while (io.elapsed() < end && !signal.aborted) {
        const seen = await look(id);
        if (isSo(seen)) return seen;
        await io.pause(everyMs);
      }
      return undefined;
    },
    leave: async () => {
      const end = io.elapsed() + leaveMs;
      for (let open = await openTasks(call); open.length > 0 && io.elapsed() < end; open = await openTasks(call)) {
        // One that ends by itself just now need not be canceled any more.
        for (const { id, cancelAsked } of open) if (!cancelAsked) await call('task.cancel', { id }).catch(() => undefined);
        await io.pause(everyMs);
      }
      await stopEngine(io);
    },
  };
}

const openTasks = async (call: Call): Promise<OutputOf<'task.list'>['items']> =>
  (await call('task.list', {})).items.filter(({ phase }) => !isFinal(phase));
