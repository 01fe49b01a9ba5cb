import { readFile, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Program } from '../domain/agent/executor.ts';
import { SCRIPTED_EXECUTOR, SCRIPTED_IS_OFF } from '../domain/executors.ts';
import { accountRefOf, DEFAULT_ACCOUNT } from '../domain/hold/account.ts';
import type { ExecutorProblem } from '../operations/scope.ts';
import { writeFileAtomic } from '../platform/files.ts';
import { accountsHere } from './accounts-here.ts';
import type { BuiltIn } from './built-in.ts';
import type { ExecutorRegistry } from './executor-registry.ts';
import { commandOf } from './find-program.ts';
import type { HomePaths } from './home.ts';
import { signedIn } from './signed-in.ts';
import type { versionAsker } from './version-asker.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Ask = ReturnType<typeof versionAsker>;

/** Whoever makes a task waits no longer for a program to tell its version; that it is broken is known the next time. */
const PATIENCE_MS = 1_500;
/** That one is ready holds for this long: many tasks are made in a second. What is wrong is looked at each time. */
const READY_MS = 1_000;

interface Around {
  readonly shelf: ExecutorRegistry;
  readonly env: Env;
  readonly paths: HomePaths;
  readonly ask: Ask;
}

/** What is wrong with an executor here, without starting a program that was asked before and is still the same file. */
export function readiness(around: Around): (ref: string) => Promise<ExecutorProblem | undefined> {
  const readyAt = new Map<string, number>();
  const look = async (ref: string): Promise<ExecutorProblem | undefined> => {
    if (performance.now() - (readyAt.get(ref) ?? Number.NEGATIVE_INFINITY) < READY_MS) return undefined;
    const { executor: name, account } = accountRefOf(ref);
    const builtIn = around.shelf.builtIn.find((one) => one.name === name);
    const found = builtIn
      ? ((await programProblem(builtIn, around)) ?? (await loginProblem(builtIn, account, around)))
      : await addedProblem(name, around);
    if (readyAt.size > MOST_REMEMBERED) readyAt.clear();
    if (found) readyAt.delete(ref);
    else readyAt.set(ref, performance.now());
    return found;
  };
  const looks = new Map<string, Promise<ExecutorProblem | undefined>>();
  return (ref) => {
    const begun = looks.get(ref);
    if (begun) return begun;
    // Whoever asks in the same turn of the loop is told the same.
    if (looks.size === 0) setImmediate(() => looks.clear());
    const now = look(ref);
    looks.set(ref, now);
    return now;
  };
}

const MOST_REMEMBERED = 100;

async function programProblem(builtIn: BuiltIn, { shelf, paths, ask }: Around): Promise<ExecutorProblem | undefined> {
  const { command, install, versionArgs } = builtIn.program;
  const path = shelf.programOf(builtIn);
  if (path === undefined) return { why: `its program ${command} was not found`, repair: install, isAbsent: true };
  const problem = await versionProblem(path, versionArgs, { paths, ask });
  return problem === undefined ? undefined : { why: `${path} ${problem}`, repair: install, isAbsent: false };
}

/** A program that once told its version, and is the same file, is not started to ask again: not even by another process. */
async function versionProblem(
  path: string,
  args: readonly string[],
  { paths, ask }: Pick<Around, 'paths' | 'ask'>,
): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  const mark = `${found?.ino} ${found?.size} ${found?.mtimeMs}`;
  const known = await workingPrograms(paths);
  if (known[path] === mark) return undefined;
  const said = await Promise.race([ask(path, args), pause(PATIENCE_MS, undefined, { ref: false })]);
  if (said?.problem !== undefined) return said.problem;
  if (said) await remembered(paths, { ...known, [path]: mark });
  return undefined;
}

async function workingPrograms({ programs }: HomePaths): Promise<Readonly<Record<string, string>>> {
  try {
    const known: unknown = JSON.parse(await readFile(programs, 'utf8'));
    return typeof known === 'object' && known !== null ? (known as Record<string, string>) : {};
  } catch {
    return {};
  }
}

/** Only a saving of time: a home that cannot be written is told of elsewhere. */
async function remembered({ programs }: HomePaths, known: Readonly<Record<string, string>>): Promise<void> {
  const newest = Object.fromEntries(Object.entries(known).slice(-MOST_REMEMBERED));
  await writeFileAtomic(programs, `${JSON.stringify(newest)}\n`).catch(() => undefined);
}

async function loginProblem(
  { name, program }: BuiltIn,
  account: string,
  { env, paths }: Around,
): Promise<ExecutorProblem | undefined> {
  if (account === DEFAULT_ACCOUNT) {
    const { signedIn: is } = await signedIn(program, env);
    return is === 'no' ? { why: 'it is not signed in', repair: program.login, isAbsent: false } : undefined;
  }
  const here = (await accountsHere(name, program, env, paths)).find((one) => one.name === account);
  if (!here) return { why: `it has no account ${account}`, isAbsent: false };
  const { problem, repair } = here;
  return problem === undefined ? undefined : { why: `account ${account}: ${problem}`, repair, isAbsent: false };
}

/** One of Fleet's own, or one that a file describes. */
async function addedProblem(name: string, { shelf, env }: Around): Promise<ExecutorProblem | undefined> {
  const startable = await shelf.startable(name);
  if (startable) return signedOut(startable.program, env);
  if (name === SCRIPTED_EXECUTOR) return { why: `it ${SCRIPTED_IS_OFF.why}`, repair: SCRIPTED_IS_OFF.repair, isAbsent: true };
  const [added] = await shelf.added.look(name);
  if (!added) return { why: 'there is no executor of that name', repair: 'fleet executor list', isAbsent: true };
  const { executor, file, problem } = added;
  if (!executor) return { why: problem ?? 'it is not loaded yet', repair: `edit ${file}`, isAbsent: true };
  return { why: `its program ${commandOf(executor)} was not found`, repair: `edit ${file}`, isAbsent: true };
}

async function signedOut(program: Program | undefined, env: Env): Promise<ExecutorProblem | undefined> {
  if (!program || (await signedIn(program, env)).signedIn !== 'no') return undefined;
  return { why: 'it is not signed in', repair: program.login, isAbsent: false };
}
