import type { Executor, Program } from '../domain/agent/executor.ts';
import { SCRIPTED_EXECUTOR, SCRIPTED_IS_OFF } from '../domain/executors.ts';
import type { ExecutorHere } from '../operations/scope.ts';
import { compareVersions } from '../platform/versions.ts';
import { accountsHere } from './accounts-here.ts';
import type { AddedExecutor } from './custom-executors.ts';
import type { ExecutorRegistry } from './executor-registry.ts';
import { commandOf, locateProgram } from './find-program.ts';
import type { HomePaths } from './home.ts';
import { signedIn } from './signed-in.ts';
import { versionAsker } from './version-asker.ts';

type Env = Readonly<Record<string, string | undefined>>;
type ProgramHere = NonNullable<ExecutorHere['program']>;

/** Every executor as it stands on this machine. Nobody's secret is read: only whether a variable or a file is there. */
export function executorsHere(
  shelf: ExecutorRegistry,
  env: Env,
  paths: HomePaths,
  ask: Ask = versionAsker(env),
): () => Promise<ExecutorHere[]> {
  return async () => {
    const [own, added] = await Promise.all([shelf.all(), shelf.added.look()]);
    const [scripted, acp] = [SCRIPTED_EXECUTOR, 'acp'].map((name) => own.get(name));
    const [withFleet, withUser] = await Promise.all([
      Promise.all(shelf.builtIn.map((one) => builtInHere(shelf.made(one), one.program, env, ask))),
      Promise.all(added.map((one) => addedHere(one, env, ask))),
    ]);
    const accounts = await Promise.all(shelf.builtIn.map(({ name, program }) => accountsHere(name, program, env, paths)));
    const standing = withFleet.map((one, n) => ({ ...one, ...(accounts[n]?.length ? { accounts: accounts[n] } : {}) }));
    return [...standing, ...(acp ? [anyOf(acp)] : []), scripted ? playing(scripted) : SCRIPTED_OFF, ...withUser];
  };
}

type Ask = ReturnType<typeof versionAsker>;

async function builtInHere({ name, can, contextLimit }: Executor, program: Program, env: Env, ask: Ask): Promise<ExecutorHere> {
  return {
    name,
    origin: 'built_in',
    can,
    ...(contextLimit === undefined ? {} : { contextLimit }),
    ...(await programHere(program, env, ask)),
  };
}

/** Its program is whatever a task names. */
const anyOf = ({ name, can }: Executor): ExecutorHere => ({ name, origin: 'built_in', state: 'ready', signedIn: 'unknown', can });

/** Its program is ours: it is there whenever we are. */
const playing = ({ name, can }: Executor): ExecutorHere => ({ name, origin: 'built_in', state: 'ready', signedIn: 'yes', can });

/** Shown so that people find out how to have it; nobody can choose it. */
const SCRIPTED_OFF: ExecutorHere = {
  name: SCRIPTED_EXECUTOR,
  origin: 'built_in',
  state: 'off',
  signedIn: 'unknown',
  problem: `it ${SCRIPTED_IS_OFF.why}`,
  repair: SCRIPTED_IS_OFF.repair,
};

async function addedHere({ name, file, kind, executor, problem }: AddedExecutor, env: Env, ask: Ask): Promise<ExecutorHere> {
  const about = { name, origin: kind, file } as const;
  if (!executor)
    return { ...about, state: 'broken', signedIn: 'unknown', problem: problem ?? 'it is not loaded yet', repair: `edit ${file}` };
  const { can, contextLimit } = executor;
  const program = executor.program ?? unknownProgram(executor);
  const here = program ? await programHere(program, env, ask) : NO_PROGRAM;
  // Not every program has a version to tell, and none that a user added has to.
  const { proved: _, age: __, ...seen } = here.program ?? {};
  return {
    ...about,
    ...here,
    ...(executor.program || !here.program ? {} : { program: seen as ProgramHere }),
    can,
    ...(contextLimit === undefined ? {} : { contextLimit }),
    ...(here.state === 'missing' && !executor.program ? { repair: `install ${program?.command}, or edit ${file}` } : {}),
    // The file is broken now; what it said before is still used.
    ...(problem === undefined
      ? {}
      : { state: 'broken' as const, problem: `${problem}; the last good version is used`, repair: `edit ${file}` }),
  };
}

const NO_PROGRAM: Standing = { state: 'ready', signedIn: 'unknown' };

/** Only what it launches is known of it. */
function unknownProgram(executor: Executor): Program | undefined {
  const command = commandOf(executor);
  if (command === undefined) return undefined;
  const { versionArgs = [] } = executor;
  return { command, versionArgs, proved: '', install: '', login: '', keys: [], credentials: [], variables: [] };
}

type Standing = Pick<ExecutorHere, 'state' | 'program' | 'signedIn' | 'signedInBy' | 'problem' | 'repair'>;

async function programHere(program: Program, env: Env, ask: Ask): Promise<Standing> {
  const { command, proved, install, login } = program;
  const about = { command, ...(proved === '' ? {} : { proved }) };
  const signed = await signedIn(program, env);
  const located = locateProgram(program, env);
  if (!located)
    return {
      state: 'missing',
      ...signed,
      program: { ...about, found: false },
      problem: `its program ${command} was not found`,
      ...(install === '' ? {} : { repair: install }),
    };
  // What a program of which nothing is known does with an argument is not known either: it is not started.
  const { version, problem } = program.versionArgs.length === 0 ? {} : await ask(located.path, program.versionArgs);
  const seen: ProgramHere = {
    ...about,
    found: true,
    ...located,
    ...(version === undefined ? {} : { version }),
    ...(version === undefined || proved === '' ? {} : { age: AGES[compareVersions(version, proved) + 1] ?? 'proved' }),
  };
  // Only who says which version was proved has promised that it tells one.
  if (problem !== undefined && proved !== '')
    return { state: 'broken', ...signed, program: seen, problem: `${located.path} ${problem}`, repair: install };
  if (signed.signedIn === 'no')
    return { state: 'signed_out', ...signed, program: seen, problem: 'it is not signed in', repair: login };
  return { state: 'ready', ...signed, program: seen };
}

const AGES = ['older', 'proved', 'newer'] as const;
