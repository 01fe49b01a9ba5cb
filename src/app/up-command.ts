import { Fault } from '../domain/fault.ts';
import { writeJson } from '../surfaces/cli/answer.ts';
import { EXIT_CODES } from '../surfaces/cli/exit-codes.ts';
import { programWords } from '../surfaces/cli/parse/program-words.ts';
import type { Io, Program } from '../surfaces/cli/surroundings.ts';
import { type Engine, engineOf, inHouse, startInBackground, stopEngine } from './background.ts';
import { homePaths } from './home.ts';

/** `fleet up`: the engine here, in the background, or what has become of it. */
export const upCommand: Program['run'] = async (args, given) => {
  const { switches, values, json, io } = programWords('up', args, given, {
    switches: ['background', 'status', 'stop', 'port-optional'],
    values: ['port', 'bind'],
    places: 0,
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
  return (asked === 'stop' ? stop : status)(io, json);
};

/** Programs that start others tell them their port by PORT. */
const portFromEnvironment = (io: Io): Io =>
  io.env['FLEET_PORT'] || !io.env['PORT'] ? io : { ...io, env: { ...io.env, FLEET_PORT: io.env['PORT'] } };

/** `fleet run`: the engine alone, in the foreground. */
export const runCommand: Program['run'] = async (args, given) => {
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

/** Not running is exit code 3, as for any service. */
async function status(io: Io, json: boolean): Promise<number> {
  const { path: home } = homePaths(io.env, io.cwd);
  const engine = await inHouse(io, engineOf);
  if (engine) return say(io, json, { running: true, ...facts(engine), home }, `fleet is up: ${named(engine)}\n  home ${home}\n`);
  await say(io, json, { running: false, home }, `fleet is not up\n  home ${home}\n  fleet up --background starts it\n`);
  return EXIT_CODES.not_found;
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

const facts = ({ pid, host, since }: Engine) => ({ pid, host, since });
const named = ({ pid, host, since }: Engine): string => `process ${pid} on ${host}, since ${since}`;
