import { spawn } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import { simulatedAgentEnv } from '../../simulate/agents.ts';
import type { ModelScenario } from '../../simulate/scenario/scenario.ts';
import type { CliEnv, Io } from '../../surfaces/cli/deps.ts';
import { homePaths } from '../home.ts';
import { whenSignalled } from './signals.ts';

export interface Rehearsal {
  readonly io: Io;
  readonly url: string;
  readonly command: readonly string[];
  readonly scenario: ModelScenario;
}

/** What of Fleet's own would lead the command to another fleet. */
const OTHER_FLEET = ['FLEET_URL', 'FLEET_TOKEN', 'FLEET_RUN_DIR', 'FLEET_RUN_ID', 'FLEET_RUN_MARK', 'FLEET_TASK_ID'];

/**
 * Runs the command so that whatever agents it starts speak to the simulated model, and passes its exit code on. It has a home of its
 * own: in the user's, tasks that wait for real work would be done by a model that only plays.
 */
export async function rehearse({ io, url, command, scenario }: Rehearsal): Promise<number> {
  const home = `${homePaths(io.env, io.cwd).path}-rehearsal`;
  const directory = join(home, 'agents');
  const { set, unset, files } = simulatedAgentEnv({ url, directory, isSubscription: isAboutSubscription(scenario) });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(home, 0o700);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  const kept = Object.entries(io.env).filter(([name]) => !unset.includes(name) && !OTHER_FLEET.includes(name));
  const env: CliEnv = {
    ...Object.fromEntries(kept),
    ...pastProxies(io.env),
    FLEET_PORT: '0',
    FLEET_SCRIPTED: 'true',
    ...set,
    FLEET_HOME: home,
  };
  return await carriedOut(command, io, env);
}

const isAboutSubscription = ({ turns }: ModelScenario): boolean =>
  turns.some(({ answers }) => answers.some(({ quota, faults }) => quota ?? faults.some(({ kind }) => kind === 'quota_spent')));

/** A proxy of the network cannot reach what listens on this machine. */
function pastProxies(env: CliEnv): CliEnv {
  const local = '127.0.0.1,localhost';
  return Object.fromEntries(
    ['NO_PROXY', 'no_proxy'].map((name) => [
      name,
      [env[name], local].filter((part) => part !== undefined && part !== '').join(','),
    ]),
  );
}

async function carriedOut(command: readonly string[], io: Io, env: CliEnv): Promise<number> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd: io.cwd, env, stdio: 'inherit' });
  using _ = whenSignalled((signal) => {
    // A terminal has sent Ctrl-C to the child already.
    if (signal !== 'SIGINT' || process.stdin.isTTY !== true) child.kill(signal);
  });
  return await new Promise<number>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'ENOENT' ? 'there is no such program' : error.message;
      reject(new Fault('not_found', `${program} cannot be started: ${why}`, {}, { cause: error }));
    });
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}
