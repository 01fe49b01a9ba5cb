import { basename, join } from 'node:path';
import type { Executor } from '../../domain/agent/executor.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Confinement, Start } from '../../engine/supervise/needs.ts';
import type { Step } from '../../platform/lay.ts';
import { endpointIn } from '../../sandbox/allowed.ts';
import { DOOR, type Plan, TO_FLEET } from '../../sandbox/plan.ts';
import { profileOf } from '../../sandbox/profile.ts';
import { isLoopback } from '../../sandbox/proxy.ts';
import { identityOf } from '../../workspace/target.ts';
import { named } from '../environment.ts';
import { ours } from '../executors.ts';
import { notePlaces } from '../notes.ts';
import type { House } from '../open-house.ts';
import { sandboxHere } from './sandbox-here.ts';
import { boxPlaces, type Confined, ownHome, ownNames, viewOf } from './view.ts';

type Env = Readonly<Record<string, string | undefined>>;

interface Wish {
  readonly run: Run;
  readonly task: Task;
  readonly executor: Executor | undefined;
  readonly start: Start;
}

/** The same start inside a sandbox, or why there is none here; it is never started without. */
export async function confine(house: House, env: Env, wish: Wish): Promise<Confinement> {
  const { run, task, executor, start } = wish;
  const here = await sandboxHere(env);
  if (!here.works)
    return { why: `it asks for a sandbox: ${here.why}${here.repair === undefined ? '' : `; try: ${here.repair}`}` };
  const [outside, inside] = [ours('sandbox-outside'), ours('sandbox-inside')];
  const confined: Confined = {
    paths: house.paths,
    settings: house.settings.current().values,
    taskId: task.id,
    runDirectory: join(house.paths.runs, run.id),
    isOurs: run.chore !== undefined || task.work !== undefined,
    executor,
    isChore: run.chore !== undefined,
    start,
    ours: [inside, process.argv[1] ?? inside],
  };
  const seen = await viewOf(confined);
  if ('why' in seen) return { why: `it asks for a sandbox: ${seen.why}` };
  const places = boxPlaces(confined.runDirectory);
  const hosts = seen.view.network === 'own' ? hostsFor(confined) : undefined;
  const plan: Plan = {
    bwrap: here.path,
    profile: profileOf(seen.view),
    inside: [process.execPath, inside, seen.view.network, hosts ? loopbackPorts(hosts) : '-'],
    agent: [start.command, ...start.args],
    door: places.door,
    live: house.paths.live,
    ...(hosts ? { hosts } : {}),
    placeholders: seen.placeholders,
  };
  return { start: within(start, { plan, outside, places, homes: await homeSteps(house, env, wish, seen.own) }) };
}

interface Wrapping {
  readonly plan: Plan;
  readonly outside: string;
  readonly places: ReturnType<typeof boxPlaces>;
  readonly homes: readonly Step[];
}

const within = (start: Start, { plan, outside, places, homes }: Wrapping): Start => ({
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
    ...[places.box, places.empty, places.ignored, places.door].map((path) => ({ lay: 'directory', path }) as const),
    { lay: 'file', path: join(places.ignored, '.gitignore'), text: '*\n' },
    ...homes,
  ],
});

/** Its own home, in which it is known to git by the name its person has. */
async function homeSteps({ paths }: House, env: Env, { task, start }: Wish, own: readonly string[]): Promise<Step[]> {
  const home = ownHome(paths, task.id);
  const { name, email } = await identityOf(start.directory, env);
  return [
    { lay: 'directory', path: notePlaces(paths.tasks, task.id).artifacts },
    ...own.map((path) => ({ lay: 'directory', path }) as const),
    { lay: 'once', path: join(home, '.gitconfig'), text: `[user]\n\tname = ${quoted(name)}\n\temail = ${quoted(email)}\n` },
  ];
}

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
