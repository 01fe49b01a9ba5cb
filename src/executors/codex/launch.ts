import { hasTool } from '../../domain/agent/tools.ts';
import type { Executor, Job } from '../executor.ts';
import { type TomlValue, toml } from './toml.ts';

type Launch = ReturnType<Executor['launch']>;

/** Everything about the thread that is not asked for in the conversation. CODEX_HOME stays the user's, and nothing is written there. */
export const launchOf = (command: string, job: Job): Launch => ({
  command,
  args: [
    'app-server',
    ...['--disable', 'plugins', '--disable', 'apps'],
    ...Object.entries(settingsOf(job)).flatMap(([key, value]) => ['-c', `${key}=${toml(value)}`]),
    ...job.extraArgs,
  ],
  env: {},
  files: [],
  mode: 'twoway',
});

const settingsOf = (job: Job): Record<string, TomlValue> => ({
  'analytics.enabled': false,
  check_for_update_on_startup: false,
  'features.daemon_auto_start': false,
  // What lies in the repository under .codex is not the user's: no settings, servers, hooks or rules of it are taken.
  projects: { [job.workDirectory.replace(/(?<=.)\/+$/, '')]: { trust_level: 'untrusted' } },
  ...(job.systemPrompt === undefined ? {} : { developer_instructions: job.systemPrompt }),
  ...(job.tools === undefined || hasTool(job.tools, 'WebSearch') ? {} : { web_search: 'disabled' }),
  ...(job.mcp ? { 'mcp_servers.fleet': serverOf(job.mcp) } : {}),
});

/** Without `required` a conversation begins before the server is there. People may take long to answer what is asked through it. */
const serverOf = ({ command, args, env }: NonNullable<Job['mcp']>): TomlValue => ({
  command,
  args,
  env,
  required: true,
  startup_timeout_sec: 60,
  tool_timeout_sec: 3_600,
  default_tools_approval_mode: 'approve',
});
