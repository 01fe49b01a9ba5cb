import { homedir } from 'node:os';
import type { Program } from '../../domain/agent/executor.ts';
import type { Settings } from '../../domain/settings.ts';
import type { ExecutorHere } from '../../operations/scope.ts';
import { machineHere } from '../../sandbox/machine.ts';
import { credentialPlace } from '../credential-place.ts';
import type { ExecutorRegistry } from '../executor-registry.ts';
import type { HomePaths } from '../home.ts';
import { limitsHeld } from './limits-held.ts';
import { barrierRepair, barrierText, barrierTo, inShell } from './out-of-reach.ts';
import { belongings, bothWays, kindOf, pathDirectories, writable } from './paths-here.ts';
import { runAs } from './run-as.ts';
import { type SandboxHere, sandboxHere } from './sandbox-here.ts';

type Env = Readonly<Record<string, string | undefined>>;
type InSandbox = NonNullable<ExecutorHere['sandbox']>;

interface Around {
  readonly env: Env;
  readonly paths: HomePaths;
  readonly settings: () => Settings;
  readonly shelf: ExecutorRegistry;
}

/** The same executors, and of each whose program is here whether it can work in a sandbox. */
export function inSandbox(look: () => Promise<ExecutorHere[]>, around: Around): () => Promise<ExecutorHere[]> {
  return async () => {
    const [items, here] = await Promise.all([look(), sandboxHere(around.env)]);
    return Promise.all(
      items.map(async (item) => {
        const path = item.program?.path;
        if (path === undefined) return item;
        const program = (await around.shelf.named(item.name))?.program;
        return { ...item, sandbox: await oneInSandbox(here, { ...around, path, program }) };
      }),
    );
  };
}

interface One extends Around {
  readonly path: string;
  readonly program: Program | undefined;
}

async function oneInSandbox(here: SandboxHere, { env, paths, settings, path, program }: One): Promise<InSandbox> {
  if (!here.works) return { works: false, problem: here.why, ...(here.repair === undefined ? {} : { repair: here.repair }) };
  const values = settings();
  const logIns = await logInsOf(program, env);
  const as = await runAs(values, { mounts: logIns.map((file) => writable(file)), home: paths.path, rootAlone: here.rootAlone });
  const { sandbox_user } = values;
  if ('why' in as) {
    const [file] = logIns;
    // Without a log-in to be changed nothing of it is this agent's.
    const isLogIn = file !== undefined && as.why.includes(file);
    return { works: false, problem: as.why, repair: isLogIn ? `chown ${sandbox_user} ${inShell(file)}` : AS_ROOT };
  }
  if (!as.user) return { works: true, limits: limitsHeld() };
  const programs = [...(await bothWays(path)), process.execPath];
  const home = env['HOME'] || homedir();
  const shown = [
    ...(await machineHere()).directories,
    ...pathDirectories(env).filter((directory) => directory !== home),
    ...programs.flatMap(belongings),
  ];
  for (const one of programs) {
    const barrier = await barrierTo(one, as.user, shown);
    if (barrier) return { works: false, problem: barrierText(barrier, sandbox_user), repair: barrierRepair(barrier) };
  }
  return { works: true, limits: limitsHeld() };
}

const AS_ROOT = 'fleet config set sandbox_as_root=true';

async function logInsOf(program: Program | undefined, env: Env): Promise<string[]> {
  const places = (program?.credentials ?? []).map((path) => credentialPlace(path, program?.moved, env));
  const kinds = await Promise.all(places.map(kindOf));
  return places.filter((_, n) => kinds[n] === 'file');
}
