import { mcpServersOf } from '../../domain/agent/executor.ts';
import { hasTool } from '../../domain/agent/tools.ts';
import type { Executor, Job } from '../executor.ts';
import { threadPolicy } from './policy.ts';
import { effortOf } from './threads.ts';
import { type TomlValue, toml } from './toml.ts';

type Interactive = NonNullable<Executor['interactive']>;
type Launch = ReturnType<Executor['launch']>;

/** The launch, with all settings that are no part of the conversation. CODEX_HOME stays the user's, and Fleet writes nothing there. */
export const launchOf = (command: string, job: Job): Launch => ({
  command,
  args: ['app-server', ...settingArgs(settingsOf(job, 'untrusted')), ...job.extraArgs],
  env: {},
  files: [],
  mode: 'twoway',
});

/**
 * The launch in a terminal. Codex asks about any folder that is not marked as trusted. A folder without settings of its own can be
 * marked safely; about a folder with settings, the person decides.
 */
export const interactiveOf = (
  command: string,
  job: Job,
  { session, hasPlaceSettings }: Parameters<Interactive>[1],
): ReturnType<Interactive> => ({
  command,
  args: [
    'resume',
    ...settingArgs({ ...settingsOf(job, hasPlaceSettings ? 'untrusted' : 'trusted'), ...NOTICES }),
    ...(job.model === undefined ? [] : ['-m', job.model]),
    ...(job.effort === undefined ? [] : ['-c', `model_reasoning_effort=${toml(effortOf(job.effort))}`]),
    ...reach(job),
    ...job.extraArgs,
    session,
  ],
  env: {},
  files: [],
});

/** Notices that codex would show once and then record as shown. */
const NOTICES: Record<string, TomlValue> = {
  'notice.hide_full_access_warning': true,
  'notice.hide_world_writable_warning': true,
  'notice.hide_rate_limit_model_nudge': true,
  // Codex offers a newer model for an older one, unless that offer is recorded. These are all offers of the proved version.
  'notice.model_migrations': {
    'gpt-5.5': 'gpt-6-sol',
    'gpt-5.6-luna': 'gpt-6-luna',
    'gpt-5.6-sol': 'gpt-6-sol',
    'gpt-5.6-terra': 'gpt-6-sol',
  },
};

/** Where a run would be held back a person is asked. */
function reach(job: Job): string[] {
  const { sandbox, approvalPolicy } = threadPolicy(job);
  return approvalPolicy === 'never' ? ['--dangerously-bypass-approvals-and-sandbox'] : ['-s', sandbox, '-a', 'on-request'];
}

const settingArgs = (settings: Record<string, TomlValue>): string[] => [
  ...['--disable', 'plugins', '--disable', 'apps'],
  ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${toml(value)}`]),
];

const settingsOf = (job: Job, trustLevel: 'trusted' | 'untrusted'): Record<string, TomlValue> => ({
  'analytics.enabled': false,
  check_for_update_on_startup: false,
  'features.daemon_auto_start': false,
  // The repository's .codex is not the user's: its settings, servers, hooks and rules are ignored.
  projects: { [job.workDirectory.replace(/(?<=[^/])\/+$/, '')]: { trust_level: trustLevel } },
  ...(job.systemPrompt === undefined ? {} : { developer_instructions: job.systemPrompt }),
  ...(job.tools === undefined || hasTool(job.tools, 'WebSearch') ? {} : { web_search: 'disabled' }),
  ...Object.fromEntries(mcpServersOf(job).map(([name, server]) => [`mcp_servers.${name}`, serverOf(server)])),
});

/** Without `required` a conversation starts before the server is ready. The tool timeout is long because people answer slowly. */
const serverOf = ({ command, args, env }: NonNullable<Job['mcp']>): TomlValue => ({
  command,
  args,
  env,
  required: true,
  startup_timeout_sec: 60,
  tool_timeout_sec: 3_600,
  default_tools_approval_mode: 'approve',
});
