import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { Fault } from '../domain/fault.ts';
import { SETTINGS } from '../domain/settings.ts';
import { writeJson } from '../surfaces/cli/answer.ts';
import type { CliProgram, Io } from '../surfaces/cli/deps.ts';
import { EXIT_CODES } from '../surfaces/cli/exit-codes.ts';
import { programWords } from '../surfaces/cli/parse/program-words.ts';
import { engineOf, type RunningEngine, startInBackground, stopEngine, withServices } from './background.ts';
import { homePaths } from './home.ts';
import { liveFile } from './serve/live-file.ts';
import { SERVICE_KINDS, serviceText } from './service-unit.ts';
import type { Flags } from './settings/resolve-settings.ts';

/** `fleet up`: the engine here, in the background, or what has become of it. */
export const upCommand: CliProgram['run'] = async (args, given) => {
  const { switches, values, places, json, io } = programWords('up', args, given, {
    switches: ['background', 'status', 'stop', 'print-service', 'port-optional'],
    values: ['port', 'bind'],
    places: args.includes('--print-service') ? 1 : 0,
  });
  const withPort = portFromEnvironment(io);
  const verbs = [...switches].filter((word) => word !== 'port-optional');
  if (verbs.length > 1)
    throw new Fault('invalid', `choose one of ${verbs.map((word) => `--${word}`).join(', ')}`, {
      hint: 'see fleet up --help',
    });
  const [asked] = verbs;
  if (asked === undefined)
    return (await import('./up.ts')).up(withPort, {
      json,
      tcp: switches.has('port-optional') ? 'if free' : 'needed',
      flags: values,
    });
  if (asked === 'background') return background(withPort, json, values);
  if (asked === 'print-service') return printService(withPort, json, { kind: places[0], flags: values });
  return (asked === 'stop' ? stop : status)(io, json);
};

/** Programs that start others tell them their port by PORT. */
const portFromEnvironment = (io: Io): Io =>
  io.env['FLEET_PORT'] || !io.env['PORT'] ? io : { ...io, env: { ...io.env, FLEET_PORT: io.env['PORT'] } };

/** `fleet run`: the engine alone, in the foreground. */
export const runCommand: CliProgram['run'] = async (args, given) => {
  const { json, io } = programWords('run', args, given, { switches: [], places: 0 });
  return (await import('./up.ts')).up(io, { json, tcp: 'none' });
};

async function background(io: Io, json: boolean, flags: Readonly<Record<string, string>>): Promise<number> {
  const words = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  const { started, engine, home, log } = await startInBackground(io, words);
  const who = started ? `fleet is up in the background: process ${engine.pid}\n` : `fleet is up already: ${named(engine)}\n`;
  const text = `${who}  home ${home}\n${log === undefined ? '' : `  log  ${log}\n`}`;
  return say(io, json, { started, ...facts(engine), home, ...(log !== undefined && { log }) }, text);
}

/** What a service manager needs to run this home. Secrets do not go into it: it is a file like any other. */
async function printService(
  io: Io,
  json: boolean,
  { kind = process.platform === 'darwin' ? 'launchd' : 'systemd', flags }: { kind?: string | undefined; flags: Flags },
): Promise<number> {
  const known = SERVICE_KINDS.find((candidate) => candidate === kind);
  if (!known)
    throw new Fault('invalid', `${JSON.stringify(kind)} is no service manager Fleet knows: choose ${SERVICE_KINDS.join(' or ')}`);
  const { path: home } = homePaths(io.env, io.cwd);
  const words = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  const settings = Object.values(SETTINGS).map(({ env }) => env as string);
  const named = ['PATH', 'LANG', ...settings].flatMap((name) => {
    const value = io.env[name];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  const service = serviceText(known, {
    home,
    isUsualHome: home === homePaths({ HOME: io.env['HOME'] }, io.cwd).path,
    command: [process.execPath, await realpath(process.argv[1] ?? ''), 'up', '--json', ...words],
    env: { FLEET_HOME: home, ...Object.fromEntries(named) },
    userHome: io.env['HOME'] || homedir(),
  });
  return say(io, json, service, service.text);
}

/** Not running is exit code 3, as for any service. */
async function status(io: Io, json: boolean): Promise<number> {
  const paths = homePaths(io.env, io.cwd);
  const { path: home } = paths;
  const engine = await withServices(io, engineOf);
  if (engine) {
    const where = await placeOf(engine, paths.live);
    const lines = Object.entries({ home, ...where }).map(([name, value]) => `  ${name.padEnd(7)} ${value}\n`);
    return say(io, json, { running: true, ...facts(engine), home, ...where }, `fleet is up: ${named(engine)}\n${lines.join('')}`);
  }
  await say(io, json, { running: false, home }, `fleet is not up\n  home ${home}\n  fleet up --background starts it\n`);
  return EXIT_CODES.not_found;
}

/** Where it is asked, as it says itself. One that has only begun has not said so yet. */
async function placeOf(
  { pid, started }: RunningEngine,
  file: string,
): Promise<{ url?: string; socket?: string; version?: string }> {
  const live = await liveFile(file);
  if (live?.pid !== pid || live.started !== started) return {};
  const { url, socket, version } = live;
  return { ...(url === undefined ? {} : { url }), socket, version };
}

async function stop(io: Io, json: boolean): Promise<number> {
  const engine = await stopEngine(io);
  if (!engine) return say(io, json, { stopped: false }, 'fleet is not up: there is nothing to stop\n');
  return say(
    io,
    json,
    { stopped: true, ...facts(engine) },
    `stopped process ${engine.pid}; its agents go on, and the next fleet up takes them over\n`,
  );
}

async function say(io: Io, json: boolean, value: object, text: string): Promise<number> {
  await (json ? writeJson(io, value) : io.out(text));
  return EXIT_CODES.ok;
}

const facts = ({ pid, host, since }: RunningEngine) => ({ pid, host, since });
const named = ({ pid, host, since }: RunningEngine): string => `process ${pid} on ${host}, since ${since}`;
