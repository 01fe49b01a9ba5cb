/**
 * Owns the sandbox of one run, and is what its shim knows as the agent. It opens the two ways out, starts bubblewrap and
 * ends as the agent ended. Signals that ask to end are for the agent alone, which gets them as a member of the group;
 * when this process is killed, bubblewrap and everything in it dies.
 */
import { spawn } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, unlinkSync } from 'node:fs';
import { createServer, type Server, type Socket, connect as toSocket } from 'node:net';
import { constants } from 'node:os';
import { basename, dirname } from 'node:path';
import type { Plan } from './plan.ts';
import { TO_FLEET, TO_NETWORK } from './plan.ts';
import { allowListProxy, joined } from './proxy.ts';

const plan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Plan;
const ASKED_TO_END = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;
for (const signal of ASKED_TO_END) process.on(signal, () => {});

const workDirectory = process.cwd();
await listening(createServer(toFleet), plan.door, TO_FLEET);
if (plan.hosts)
  await listening(allowListProxy({ hosts: plan.hosts, env: process.env, onRefused: tellOnce() }), plan.door, TO_NETWORK);
const made: string[] = [];
for (const { path, of } of plan.placeholders)
  if (await (of === 'file' ? isSocketMade(path) : isDirectoryMade(path))) made.push(path);
process.chdir(workDirectory);

// What is ignored stays ignored across exec: bubblewrap outlives a request to end. `inside` sets all back for the agent.
const shell = ['-c', `trap '' TERM INT HUP QUIT; exec "$@"`, 'fleet'];
const command = [plan.bwrap, ...plan.profile, '--', ...plan.inside, ...plan.agent];
const child = spawn('/bin/sh', [...shell, ...command], { stdio: 'inherit' });
child.once('error', (error) => leave(126, `it did not start: ${error.message}`));
child.once('exit', (code, signal) => leave(code ?? 128 + (signal ? constants.signals[signal] : 0)));

function leave(code: number, why?: string): void {
  if (why !== undefined) process.stderr.write(`fleet sandbox: ${why}\n`);
  for (const path of made.toReversed()) remove(path);
  process.exit(code);
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
