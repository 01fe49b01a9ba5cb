/**
 * Owns the sandbox of one run, and is what its shim knows as the agent. It opens the two ways out, starts bubblewrap and
 * ends as the agent ended. Signals that ask to end are for the agent alone, which is in a session of its own and gets them itself;
 * when this process is killed, bubblewrap and everything in it dies.
 */
import {
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server, type Socket, connect as toSocket } from 'node:net';
import { constants } from 'node:os';
import { basename, dirname } from 'node:path';
import { makeSandboxGroup, type SandboxGroup } from './cgroup-limits.ts';
import { lend } from './lend.ts';
import type { SandboxPlan } from './plan.ts';
import { TO_FLEET, TO_NETWORK } from './plan.ts';
import { allowListProxy, joined } from './proxy.ts';
import { startBwrap } from './start-bwrap.ts';
import { watchLimits } from './watch-limits.ts';

const plan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as SandboxPlan;
/** Nobody in there needs more at once; whoever opens more is turned away here, and the engine does not hear of it. */
const MOST_TO_FLEET = 64;
/** Each may need another one beyond; all together fewer than any process may have open, for this one has to watch as well. */
const MOST_TO_NETWORK = 256;
const ASKED_TO_END = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;
for (const signal of ASKED_TO_END) process.on(signal, () => {});

const workDirectory = process.cwd();
await listening(Object.assign(createServer(toFleet), { maxConnections: MOST_TO_FLEET }), plan.door, TO_FLEET);
if (plan.hosts) await listening(toNetwork(plan.hosts), plan.door, TO_NETWORK);
const made: string[] = [];
for (const { path, of } of plan.placeholders)
  if (await (of === 'file' ? isSocketMade(path) : isDirectoryMade(path))) made.push(path);
process.chdir(workDirectory);

if (plan.user) lendAll(plan.user);

// Bubblewrap outlives a request to end; `inside` sets all signals back for the agent.
const { bwrap, profile, directory, user, limits } = plan;
const watch = await watchLimits(bwrap, limits);
const command = [...plan.inside, ...plan.agent];
const group = groupHere();
const child = startBwrap({ bwrap, profile, command, directory, user, limits, groupDoor: group?.door }, [
  'inherit',
  'inherit',
  'inherit',
]);
let isTold = false;
child.once('error', (error) => leave(126, `it did not start: ${error.message}`));
child.once('exit', (code, signal) => {
  const why = group?.endedFor();
  if (why !== undefined) tell(why);
  leave(code ?? 128 + (signal ? constants.signals[signal] : 0));
});
if (child.pid !== undefined) void endIfTooMuch(child.pid);

/** The reason is on disk before anything ends. */
async function endIfTooMuch(pid: number): Promise<void> {
  const isThere = () => child.exitCode === null && child.signalCode === null;
  const why = await watch.tooMuch(pid, isThere, group?.tooMuch);
  if (why === undefined || !isThere()) return;
  tell(why);
  child.kill('SIGKILL');
}

/** Once: the kernel may have ended it for what was about to be measured. */
function tell(why: string): void {
  if (isTold) return;
  isTold = true;
  writeFileSync(plan.exceeded, `${why}\n`);
  process.stderr.write(`fleet sandbox: ended: ${why}\n`);
}

/** Without one everything is measured as with it; only the processor nobody can measure. */
function groupHere(): SandboxGroup | undefined {
  const made = makeSandboxGroup(limits);
  const held = 'why' in made ? [] : made.held;
  if (limits.cpus !== undefined && !held.includes('cpu')) {
    const why = 'why' in made ? made.why : 'its cgroup has no controller of the processor';
    process.stderr.write(`fleet sandbox: sandbox_cpus holds nothing here: ${why}\n`);
  }
  return 'why' in made ? undefined : made;
}

function leave(code: number, why?: string): void {
  if (why !== undefined) process.stderr.write(`fleet sandbox: ${why}\n`);
  for (const path of made.toReversed()) remove(path);
  if (group) void group.end().finally(() => process.exit(code));
  else process.exit(code);
}

/** Its streams too: programs open them again by their names in /dev. */
function lendAll(user: NonNullable<SandboxPlan['user']>): void {
  lend([...plan.lent, { path: plan.door, as: 'write' }], user);
  for (const stream of [0, 1, 2]) {
    const found = fstatSync(stream);
    if (found.isFIFO() || found.isFile()) fchownSync(stream, user.uid, user.gid);
  }
}

function toNetwork(hosts: readonly string[]): Server {
  const proxy = allowListProxy({ hosts, env: process.env, onRefused: tellOnce() });
  return Object.assign(proxy, { maxConnections: MOST_TO_NETWORK });
}

/** The engine may be another one than a moment ago; while there is none, whoever asks is told at once and asks again. */
function toFleet(asking: Socket): void {
  asking.on('error', () => asking.destroy());
  try {
    const { socket } = JSON.parse(readFileSync(plan.live, 'utf8')) as { socket: string };
    const engine = toSocket(socket);
    engine.once('error', () => asking.destroy());
    engine.once('connect', () => joined(asking, engine));
  } catch {
    asking.destroy();
  }
}

/** A path of a socket has little room: it is bound by its name alone. */
async function listening(server: Server, directory: string, name: string): Promise<void> {
  process.chdir(directory);
  rmSync(name, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(name, resolve);
  });
}

const MOST_TOLD = 100;

/** Its person sees in the run's output what it could not reach; each once. */
function tellOnce(): (endpoint: string) => void {
  const told = new Set<string>();
  return (endpoint) => {
    if (told.has(endpoint) || told.size >= MOST_TOLD) return;
    told.add(endpoint);
    process.stderr.write(`fleet sandbox: refused to connect to ${JSON.stringify(endpoint)}: not in sandbox_hosts\n`);
  };
}

async function isDirectoryMade(path: string): Promise<boolean> {
  try {
    mkdirSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Renamed while it is open, because closing it takes its first name away. */
async function isSocketMade(path: string): Promise<boolean> {
  const name = `.fleet-${process.pid}`;
  const server = createServer();
  try {
    if (!lstatSync(path, { throwIfNoEntry: false })) {
      await listening(server, dirname(path), name);
      renameSync(name, basename(path));
    }
    return lstatSync(path).isSocket();
  } catch {
    return false;
  } finally {
    server.close();
  }
}

function remove(path: string): void {
  try {
    if (lstatSync(path).isSocket()) unlinkSync(path);
    else rmdirSync(path);
  } catch {
    // Somebody else has use for it.
  }
}
