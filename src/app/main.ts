import { table } from 'virtual:command-table';
import { processIo } from '../surfaces/cli/process-io.ts';
import { runCli } from '../surfaces/cli/run-cli.ts';
import { VERSION } from './version.ts';

/** Nothing heavy is loaded here: `fleet --help` must feel instant. */
const io = processIo();
process.exitCode = await runCli(process.argv.slice(2), {
  table,
  version: VERSION,
  io,
  open: async (env) => (await import('./open-house.ts')).openHouse(env, io.cwd),
  programs: {
    up: {
      summary: 'Run the engine of this home until it is stopped.',
      usage: '',
      examples: ['fleet up'],
      run: async (args, programIo) => (await import('./up.ts')).up(args, programIo),
    },
  },
});
