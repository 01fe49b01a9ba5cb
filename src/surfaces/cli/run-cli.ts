import type { Call } from '../../contract/call.ts';
import { writeError, writeJson } from './answer.ts';
import type { Command } from './command.ts';
import type { CliConnection, CliDeps, CliEnv, Io } from './deps.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { candidates, completionScript } from './flows/completion.ts';
import { helpPage } from './help/help-page.ts';
import type { Result } from './order.ts';
import { findCommand } from './parse/find-command.ts';
import { type Globals, leadingGlobals } from './parse/globals.ts';

/*
 * Help, version, completion and usage errors must start fast: whatever needs a schema, a view or a store is behind
 * `import()` and is loaded by the path that needs it. Help itself is not: one file more costs more than its few lines.
 */

/** Runs one command line and returns the exit code. Never throws. */
export async function runCli(argv: readonly string[], surroundings: CliDeps): Promise<number> {
  try {
    return await route(argv, surroundings);
  } catch (error) {
    return await writeError(surroundings.io, error, wantsJson(argv)).catch(() => EXIT_CODES.bug);
  }
}

async function route(argv: readonly string[], surroundings: CliDeps): Promise<number> {
  const { io, table, version } = surroundings;
  const { globals, rest } = leadingGlobals(argv, io.cwd);
  const [first] = rest;
  if (globals.version) return say(io, `${version}\n`);
  if (first === '__complete') return complete(rest.slice(1), surroundings);
  if (first === undefined && !globals.help && surroundings.here)
    return surroundings.here({ ...io, env: withHome(io.env, globals) }, globals.json);
  if (first === undefined || first === 'help' || globals.help) return help(first === 'help' ? rest.slice(1) : rest, surroundings);
  if (first === 'completion') return completion(rest.slice(1), surroundings);

  const found = findCommand(table, Object.keys(surroundings.programs), rest);
  if (found.kind === 'noun' || isHelp(found.rest)) return help(rest, surroundings);
  if (found.kind === 'program') {
    const program = surroundings.programs[found.name];
    const args = globals.json ? ['--json', ...found.rest] : found.rest;
    return program ? program.run(args, { ...io, env: withHome(io.env, globals) }) : EXIT_CODES.bug;
  }
  return perform(found.command, found.rest, globals, surroundings);
}

async function perform(command: Command, argv: readonly string[], leading: Globals, surroundings: CliDeps): Promise<number> {
  const { io } = surroundings;
  const { readArguments } = await import('./parse/read-arguments.ts');
  const { globals, input, local } = readArguments(command, argv, io.cwd);
  if (globals.help) return help(command.path, surroundings);
  (await import('./parse/assert-there.ts')).assertThere(command, { input, local }, io);
  const { carryOut } = await import('./carry-out.ts');
  const json = leading.json || globals.json;
  const env = withHome(io.env, { ...leading, ...globals });
  const { call, close } = whenNeeded(() => surroundings.open(env));
  const ensureEngine = async () => surroundings.ensureEngine?.(env);
  const { inTerminal } = surroundings;
  let result: Result;
  try {
    const order = { command, input, local, json, key: globals.key, io: { ...io, env }, call, ensureEngine };
    result = await carryOut({ ...order, ...(inTerminal && { inTerminal }) });
    if (result.kind === 'answer') await (json ? writeJson(io, result.value) : io.out(result.text()));
  } finally {
    await close();
  }
  return result.kind === 'handed-over' ? result.start() : (result.code ?? EXIT_CODES.ok);
}

/** Opens the store or the wire at the first call: a flow that finds its input wrong has disturbed nothing. */
function whenNeeded(open: () => Promise<CliConnection>): CliConnection {
  let opened: Promise<CliConnection> | undefined;
  const call: Call = async (name, input, options) => {
    opened ??= open();
    return (await opened).call(name, input, options);
  };
  const close = async () => {
    const connection = await opened?.catch(() => undefined);
    await connection?.close();
  };
  return { call, close };
}

async function help(words: readonly string[], { io, table, programs, version }: CliDeps): Promise<number> {
  return say(io, helpPage(words, { table, programs, version, io }));
}

async function completion(words: readonly string[], { io }: CliDeps): Promise<number> {
  return say(io, completionScript(words));
}

async function complete(words: readonly string[], { io, table, programs }: CliDeps): Promise<number> {
  return say(
    io,
    candidates(words, table, Object.keys(programs))
      .map((line) => `${line}\n`)
      .join(''),
  );
}

async function say(io: Io, text: string): Promise<number> {
  await io.out(text);
  return EXIT_CODES.ok;
}

const isHelp = (words: readonly string[]): boolean => words.length === 1 && (words[0] === '--help' || words[0] === '-h');
const withHome = (env: CliEnv, { home }: Pick<Globals, 'home'>): CliEnv =>
  home === undefined ? env : { ...env, FLEET_HOME: home };

/** Asked of the words themselves: an error in reading them must be told in JSON too. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json');
}
