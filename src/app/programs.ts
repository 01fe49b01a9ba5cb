import type { CliProgram } from '../surfaces/cli/deps.ts';

/** Commands that are no operation: each is loaded when it is run. The build reads their summaries for `fleet --help`. */
export const programs: Readonly<Record<string, CliProgram>> = {
  demo: {
    summary: 'Watch three agents implement, review and refine, with a real gate; no key, no network.',
    usage: '[--json]',
    examples: ['fleet demo', 'fleet demo --json'],
    run: async (args, programIo) => (await import('./demo/demo.ts')).demo(args, programIo),
  },
  up: {
    summary: 'Run server and engine of this home until they are stopped.',
    usage:
      '[--background | --status | --stop | --print-service [systemd|launchd]] [--port N] [--bind ADDRESS] [--port-optional] [--json]',
    examples: [
      'fleet up',
      'fleet up --port 8080',
      'fleet up --port-optional   without a port when it is taken',
      'fleet up --background',
      'fleet up --status   exit code 0 when it runs, 3 when not',
      'fleet up --stop',
      'fleet up --print-service   for systemd or launchd, with how to install it',
    ],
    run: async (args, programIo) => (await import('./up-command.ts')).upCommand(args, programIo),
  },
  run: {
    summary: 'Run the engine alone; with a verb, see its runs: fleet run list.',
    usage: '[--json]',
    examples: ['fleet run', 'fleet run list'],
    run: async (args, programIo) => (await import('./up-command.ts')).runCommand(args, programIo),
  },
  login: {
    summary: 'Print a link that signs a browser in as you, once and soon.',
    usage: '[--json]',
    examples: ['fleet login'],
    run: async (args, programIo) => (await import('./login.ts')).login(args, programIo),
  },
  mcp: {
    summary: 'Speak MCP over standard input and output, for Claude Code, Codex and others.',
    usage: '[--toolset orchestrate|team|admin] [--run [DIR]] [--server NAME]',
    examples: [
      'fleet mcp',
      'fleet mcp --toolset team',
      'fleet mcp --run   for the agent of a run, in whose environment it is started',
    ],
    run: async (args, programIo) => (await import('./mcp/mcp-command.ts')).mcpCommand(args, programIo),
  },
  simulate: {
    summary: 'Play a scenario to real agents instead of a model: no key, no network, no token spent.',
    usage: 'SCENARIO [--port N] [--json] [-- COMMAND…] | --list',
    examples: [
      'fleet simulate --list',
      'fleet simulate happy -- fleet up   a rehearsal, in a home of its own',
      "fleet simulate rate-limit -- claude -p 'Write hello.txt.'",
      'fleet simulate my-scenario.txt   prints what to set for each agent',
    ],
    run: async (args, programIo) => (await import('./simulate/simulate-command.ts')).simulateCommand(args, programIo),
  },
  log: {
    summary: 'Print what the engine in the background wrote, or its last lines.',
    usage: '[N] [--json]',
    examples: ['fleet log', 'fleet log 20'],
    run: async (args, programIo) => (await import('./engine-log.ts')).showLog(args, programIo),
  },
  'executor test': {
    summary: 'Try an executor: what every executor keeps, and then its program, in a place of its own.',
    usage: 'NAME [--spend] [--json]',
    examples: ['fleet executor test mine', 'fleet executor test mine --spend   also runs its program, which may cost tokens'],
    run: async (args, programIo) => (await import('./executor-test/executor-test.ts')).executorTest(args, programIo),
  },
  doctor: {
    summary: 'See whether everything Fleet can use is there, and how to repair it.',
    usage: '[--json]',
    examples: ['fleet doctor', 'fleet doctor --json'],
    run: async (args, programIo) => (await import('./doctor.ts')).doctor(args, programIo),
  },
};
