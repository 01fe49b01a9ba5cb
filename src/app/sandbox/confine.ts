import { basename, dirname, join, relative } from 'node:path';
import type { Executor } from '../../domain/agent/executor.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Confinement, RunStart } from '../../engine/supervise/deps.ts';
import { type FileOp, placeAt } from '../../platform/file-ops.ts';
import { endpointIn } from '../../sandbox/allowed.ts';
import { DOOR, type SandboxPlan, TO_FLEET } from '../../sandbox/plan.ts';
import { isWithin, profileOf } from '../../sandbox/profile.ts';
import { isLoopback } from '../../sandbox/proxy.ts';
import type { SandboxUser } from '../../sandbox/user.ts';
import { projects } from '../../store/records/projects.ts';
import { identityOf } from '../../workspace/land/target.ts';
import { named } from '../environment.ts';
import { ours } from '../executor-registry.ts';
import { notePlaces } from '../notes.ts';
import type { FleetServices } from '../open-services.ts';
import { groundOf } from './ground.ts';
import { limitsOf } from './limits-of.ts';
import { type Barrier, barrierText, barrierTo } from './out-of-reach.ts';
import { bothWays } from './paths-here.ts';
import { runAs } from './run-as.ts';
import { sandboxHere } from './sandbox-here.ts';
import { boxPlaces, type Confined, ownHome, ownNames, programsOf, userHome, type ViewResult, viewOf } from './view.ts';

type Env = Readonly<Record<string, string | undefined>>;

interface Wish {
  readonly run: Run;
  readonly task: Task;
  readonly executor: Executor | undefined;
  readonly start: RunStart;
}

/** The same start inside a sandbox, or why there is none here; it is never started without. */
export async function confine(house: FleetServices, env: Env, wish: Wish): Promise<Confinement> {
  const { run, task, executor, start } = wish;
  const here = await sandboxHere(env);
  if (!here.works)
    return { why: `it asks for a sandbox: ${here.why}${here.repair === undefined ? '' : `; try: ${here.repair}`}` };
  const ground = await groundOf(house, { run, task, directory: start.directory });
  if ('why' in ground) return { why: `it asks for a sandbox: ${ground.why}` };
  const [outside, inside] = [ours('sandbox-outside'), ours('sandbox-inside')];
  const confined: Confined = {
    paths: house.paths,
    settings: house.settings.current().values,
    taskId: task.id,
    runDirectory: join(house.paths.runs, run.id),
    ground,
    executor,
    isChore: run.chore !== undefined,
    start,
    ours: [inside, process.argv[1] ?? inside],
  };
  const seen = await viewOf(confined);
  if ('why' in seen) return { why: `it asks for a sandbox: ${seen.why}` };
  const { view } = seen;
  const as = await runAs(confined.settings, { mounts: view.mounts, home: house.paths.path, rootAlone: here.rootAlone });
  if ('why' in as) return { why: `it asks for a sandbox: ${as.why}` };
  const barrier = as.user && (await barrierIn(seen, start, as.user));
  if (barrier) return { why: `it asks for a sandbox: ${barrierText(barrier, confined.settings.sandbox_user)}` };
  // Also where it cannot be written: git heeds no directory of another user's.
  const git = ground.kind === 'clone' ? [ground.mounts.agentGit] : [];
  const places = boxPlaces(confined.runDirectory);
  const hosts = view.network === 'own' ? hostsFor(confined) : undefined;
  const plan: SandboxPlan = {
    bwrap: here.path,
    profile: profileOf({ ...view, user: as.user }),
    inside: [process.execPath, inside, view.network, hosts ? loopbackPorts(hosts) : '-'],
    agent: [start.command, ...start.args],
    directory: view.directory,
    door: places.door,
    live: house.paths.agentsDoor,
    ...(hosts ? { hosts } : {}),
    user: as.user,
    lent: as.lent.map((one) => (git.includes(one.path) ? { ...one, as: 'write' } : one)),
    limits: limitsOf(confined.settings, { view, own: [...seen.own, ...git] }),
    exceeded: places.exceeded,
    placeholders: seen.placeholders,
  };
  return {
    start: within(start, {
      plan,
      outside,
      places,
      homes: await homeSteps(house, env, wish, {
        home: ownHome(confined),
        own: [...seen.own, ...(as.user ? mountedOn(seen) : [])],
      }),
    }),
  };
}

/** What of its programs another user may not run; it would end before it begins, and say so nowhere. */
async function barrierIn({ view }: ViewResult, start: RunStart, user: SandboxUser): Promise<Barrier | undefined> {
  const shown = [...view.machine.directories, ...view.mounts.map(({ at }) => at)];
  for (const program of (await Promise.all(programsOf(start).map(bothWays))).flat()) {
    const barrier = await barrierTo(program, user, shown);
    if (barrier) return barrier;
  }
  return undefined;
}

interface Wrapping {
  readonly plan: SandboxPlan;
  readonly outside: string;
  readonly places: ReturnType<typeof boxPlaces>;
  readonly homes: readonly FileOp[];
}

const within = (start: RunStart, { plan, outside, places, homes }: Wrapping): RunStart => ({
  ...start,
  command: process.execPath,
  args: [outside, places.plan],
  files: [
    ...start.files,
    { name: basename(places.plan), text: JSON.stringify(plan) },
    { name: basename(places.live), text: JSON.stringify({ socket: `${DOOR}/${TO_FLEET}`, version: 'sandbox' }) },
  ],
  steps: [
    ...start.steps,
    ...[places.box, places.door].map((path) => ({ lay: 'directory', path }) as const),
    ...(plan.placeholders.length > 0 ? maskSteps(places) : []),
    ...homes,
  ],
});

/** What stands where nothing is, in a directory of the user's. */
const maskSteps = ({ empty, ignored }: ReturnType<typeof boxPlaces>): FileOp[] => [
  ...[empty, ignored].map((path) => ({ lay: 'directory', path }) as const),
  { lay: 'file', path: join(ignored, '.gitignore'), text: '*\n' },
];

interface Homes {
  readonly home: string;
  readonly own: readonly string[];
}

/** Its own home, in which it is known to git by the name its person has. */
async function homeSteps(
  { paths, store }: FleetServices,
  env: Env,
  { task, start }: Wish,
  { home, own }: Homes,
): Promise<FileOp[]> {
  const project = task.projectId && (await projects.get(store, task.projectId))?.body;
  // Not where it works: no git of ours looks at what an agent may have written.
  const { name, email } = await identityOf(project && project.kind !== 'directory' ? project.path : userHome(start), env);
  return [
    { lay: 'directory', ...placeAt(notePlaces(paths.tasks, task.id).artifacts) },
    ...own.map((path) => ({ lay: 'directory', path, below: paths.path }) as const),
    {
      lay: 'once',
      path: join(home, '.gitconfig'),
      below: paths.path,
      text: `[user]\n\tname = ${quoted(name)}\n\temail = ${quoted(email)}\n`,
    },
  ];
}

/** What bubblewrap would make in its homes to mount on would be root's. */
const mountedOn = ({ own, view: { mounts } }: ViewResult): string[] =>
  mounts
    .filter(({ from }) => own.includes(from))
    .flatMap((home) =>
      mounts
        .filter(({ at }) => at !== home.at && isWithin(at, home.at))
        .map(({ at }) => dirname(join(home.from, relative(home.at, at)))),
    );

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

/** What the user allows, and where the program's own variables send it. */
function hostsFor({ settings, executor, isChore, start }: Confined): string[] {
  const isOwn = named(ownNames(executor, isChore));
  const urls = Object.entries(start.env).flatMap(([name, value]) =>
    isOwn(name) && /^https?:\/\//.test(value) && URL.canParse(value) ? [new URL(value)] : [],
  );
  return [
    ...settings.sandbox_hosts,
    ...urls.map(({ hostname, port, protocol }) => `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`),
  ];
}

/** What listens on the machine's own loopback is found in the sandbox at the same place. */
const loopbackPorts = (hosts: readonly string[]): string =>
  hosts
    .flatMap((host) => endpointIn(host) ?? [])
    .filter(({ host, port }) => isLoopback(host) && port > 0)
    .map(({ port }) => port)
    .join(',') || '-';
