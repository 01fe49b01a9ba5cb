import { extraDirectories, type McpServer, mcpServersOf, type Program } from '../../domain/agent/executor.ts';
import { hasTool, mayRunAll, mayWrite } from '../../domain/agent/tools.ts';
import { acpExecutor } from '../acp-client/acp-client.ts';
import type { Executor, Job } from '../executor.ts';

const MACHINES = ['linux-x64', 'linux-arm64', 'linuxmusl-x64', 'linuxmusl-arm64', 'darwin-x64', 'darwin-arm64'];

export const copilotProgram: Program = {
  command: 'copilot',
  versionArgs: ['--version'],
  proved: '1.0.102',
  install: 'npm install -g @github/copilot',
  login: 'copilot login',
  keys: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY'],
  credentials: ['.copilot/config.json'],
  variables: ['COPILOT_*'],
  // A signal kills the wrapper script and leaves the program running.
  native: (wrapper) => {
    const [, modules] = /^(.*)\/@github\/copilot\/[^/]+$/.exec(wrapper) ?? [];
    if (modules === undefined) return [];
    const places = [`${modules}/@github`, `${modules}/@github/copilot/node_modules/@github`];
    return MACHINES.flatMap((machine) => places.map((place) => `${place}/copilot-${machine}/copilot`));
  },
};

/** The GitHub Copilot CLI, by the Agent Client Protocol. */
export const copilot = (command: string): Executor =>
  acpExecutor({
    name: 'copilot',
    // No steering: a second prompt cancels the turn, so a message waits until the turn is over.
    can: { resume: true, fork: false, steer: false, ask: true, usage: true, context: true, mcp: true, tools: true },
    program: copilotProgram,
    login: copilotProgram.login,
    modelAtLaunch: true,
    mcpAtLaunch: true,
    endsTurnOnDenial: true,
    failsWithoutUsage: true,
    launch: (job) => ({
      command,
      args: [
        '--acp',
        '--no-auto-update',
        '--no-remote',
        '--disable-client-telemetry',
        ...(job.tools ? restricted(job, job.tools) : ['--allow-all']),
        ...withServers(job),
        ...(job.model === undefined ? [] : ['--model', job.model]),
        ...(job.effort === undefined ? [] : ['--reasoning-effort', job.effort]),
        ...job.extraArgs,
      ],
      env: {},
      files: [],
    }),
  });

function withServers(job: Job): string[] {
  const servers = mcpServersOf(job).map(([name, server]) => [name, serverOf(server)]);
  return servers.length === 0 ? [] : ['--additional-mcp-config', JSON.stringify({ mcpServers: Object.fromEntries(servers) })];
}

const serverOf = ({ command, args, env }: McpServer): object => ({ type: 'local', command, args, env, tools: ['*'] });

/** Excludes tools that are not allowed. The program asks Fleet about each command; anything else it asks about is denied. */
function restricted(job: Job, tools: readonly string[]): string[] {
  const excluded = [
    ...(hasTool(tools, 'Read') ? [] : ['view']),
    ...(hasTool(tools, 'Grep') ? [] : ['grep', 'rg']),
    ...(hasTool(tools, 'Glob') ? [] : ['glob']),
    ...(mayWrite(tools) ? [] : ['create', 'edit', 'apply_patch']),
    ...(hasTool(tools, 'Bash') ? [] : ['bash', 'read_bash', 'write_bash', 'stop_bash', 'list_bash']),
    ...(hasTool(tools, 'WebFetch') ? [] : ['web_fetch']),
    ...(hasTool(tools, 'WebSearch') ? [] : ['web_search']),
    ...['task', 'read_agent', 'list_agents', 'write_agent'],
  ];
  return [
    `--excluded-tools=${excluded.join(',')}`,
    ...['fleet', ...Object.keys(job.servers ?? {})].map((name) => `--allow-tool=${name}`),
    ...(mayWrite(tools) ? ['--allow-tool=write'] : []),
    ...(mayRunAll(tools) ? ['--allow-tool=shell', '--allow-all-paths', '--allow-all-urls'] : []),
    '--disable-builtin-mcps',
    ...extraDirectories(job).map((place) => `--add-dir=${place}`),
  ];
}
