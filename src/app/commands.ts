import { table } from 'virtual:command-table';
import { processIo } from '../surfaces/cli/process-io.ts';
import { runCli } from '../surfaces/cli/run-cli.ts';
import { programs } from './programs.ts';
import { VERSION } from './version.ts';

/** Runs the command this process was started with, and returns its exit code. Nothing heavy is loaded before it is needed. */
export function commandsOf(argv: readonly string[]): Promise<number> {
  const io = processIo();
  return runCli(argv, {
    table,
    version: VERSION,
    io,
    open: async (env) => (await import('./connect/connect.ts')).connect(env, io.cwd),
    ensureEngine: async (env) => (await import('./background.ts')).ensureEngine({ ...io, env }),
    inTerminal: async (start, env) => (await import('./in-terminal.ts')).inTerminal(start, env),
    here: async (given, json) => (await import('./here.ts')).showHere(given, json),
    programs,
  });
}
