import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { OutputOf } from '../contract/call.ts';
import { Fault } from '../domain/fault.ts';
import { closeInherited } from '../platform/descriptors.ts';
import type { CliEnv } from '../surfaces/cli/deps.ts';
import { BUILT_IN } from './built-in.ts';
import { environmentFor, named } from './environment.ts';
import { homePaths } from './home.ts';
import { openSettings } from './settings/open-settings.ts';

type Start = OutputOf<'task.open'>;

/** What tells a program about the terminal it is in, and which fleet its user means. */
const isPersons = named(['TMUX', 'TMUX_PANE', 'STY', 'WINDOWID', 'FLEET_HOME']);
const HANDED_ON = ['SIGTERM', 'SIGHUP'] as const;
/** The terminal sends these to everybody in it; the program alone says what they mean. */
const LEFT_TO_IT = ['SIGINT', 'SIGQUIT'] as const;

/** The program has the terminal until it ends. It gets of the environment what an agent gets, and what a person at a terminal needs. */
export async function inTerminal(start: Start, env: CliEnv): Promise<number> {
  closeInherited();
  const child = spawn(start.command, start.args, {
    cwd: start.directory,
    env: { ...(await surroundings(start, env)), ...start.env },
    stdio: 'inherit',
  });
  const handOn = (signal: NodeJS.Signals) => void child.kill(signal);
  const leave = () => undefined;
  for (const signal of HANDED_ON) process.on(signal, handOn);
  for (const signal of LEFT_TO_IT) process.on(signal, leave);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', (error) =>
        reject(new Fault('unavailable', `${start.command} cannot be started: ${error.message}`, {}, { cause: error })),
      );
      child.once('close', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
    });
  } finally {
    for (const signal of HANDED_ON) process.removeListener(signal, handOn);
    for (const signal of LEFT_TO_IT) process.removeListener(signal, leave);
  }
}

async function surroundings({ executor }: Start, env: CliEnv): Promise<Record<string, string>> {
  const { values } = (await openSettings({ home: homePaths(env, process.cwd()).path, env })).current();
  const kept = environmentFor(env, {
    own: BUILT_IN.find(({ name }) => name === executor)?.program.variables ?? [],
    owned: BUILT_IN.flatMap(({ program }) => program.variables),
    allow: values.env_allow,
    isStrict: values.env === 'strict',
  });
  const persons = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && isPersons(entry[0]));
  return { ...kept, ...Object.fromEntries(persons) };
}
