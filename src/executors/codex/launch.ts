import { serversOf } from '../../domain/agent/executor.ts';
import { hasTool } from '../../domain/agent/tools.ts';
import type { Executor, Job } from '../executor.ts';
import { reachOf } from './policy.ts';
import { effortOf } from './threads.ts';
import { type TomlValue, toml } from './toml.ts';

type Interactive = NonNullable<Executor['interactive']>;
type Launch = ReturnType<Executor['launch']>;

/** Everything about the thread that is not asked for in the conversation. CODEX_HOME stays the user's, and nothing is written there. */
export const launchOf = (command: string, job: Job): Launch => ({
  command,
  args: ['app-server', ...told(settingsOf(job, 'untrusted')), ...job.extraArgs],
  env: {},
  files: [],
  mode: 'twoway',
});

/**
 * Its terminal form. A folder of no standing is asked about, and so is one that is not to be trusted; one without settings of
 * its own has nothing that trust would let in. Where it has some, a person decides.
 */
export const interactiveOf = (
  command: string,
  job: Job,
  { session, hasPlaceSettings }: Parameters<Interactive>[1],
): ReturnType<Interactive> => ({
  command,
  args: [
    'resume',
    ...told({ ...settingsOf(job, hasPlaceSettings ? 'untrusted' : 'trusted'), ...NOTICES }),
    ...(job.model === undefined ? [] : ['-m', job.model]),
    ...(job.effort === undefined ? [] : ['-c', `model_reasoning_effort=${toml(effortOf(job.effort))}`]),
    ...reach(job),
    ...job.extraArgs,
    session,
  ],
  env: {},
  files: [],
});

/** What it would tell or ask once, and write down that it did. */
const NOTICES: Record<string, TomlValue> = {
  'notice.hide_full_access_warning': true,
  'notice.hide_world_writable_warning': true,
  'notice.hide_rate_limit_model_nudge': true,
  // Who names an older model is offered a newer one, unless that very offer was made before. These are all of the proved version.
  'notice.model_migrations': {
    'gpt-5.5': 'gpt-6-sol',
    'gpt-5.6-luna': 'gpt-6-luna',
    'gpt-5.6-sol': 'gpt-6-sol',
    'gpt-5.6-terra': 'gpt-6-sol',
  },
};

/** Where a run would be held back a person is asked. */
function reach(job: Job): string[] {
  const { sandbox, approvalPolicy } = reachOf(job);
  return approvalPolicy === 'never' ? ['--dangerously-bypass-approvals-and-sandbox'] : ['-s', sandbox, '-a', 'on-request'];
}

const told = (settings: Record<string, TomlValue>): string[] => [
  ...['--disable', 'plugins', '--disable', 'apps'],
  ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${toml(value)}`]),
];

const settingsOf = (job: Job, standing: 'trusted' | 'untrusted'): Record<string, TomlValue> => ({
  'analytics.enabled': false,
  check_for_update_on_startup: false,
  'features.daemon_auto_start': false,
  // What lies in the repository under .codex is not the user's: no settings, servers, hooks or rules of it are taken.
  projects: { [job.workDirectory.replace(/(?<=[^/])\/+$/, '')]: { trust_level: standing } },
  ...(job.systemPrompt === undefined ? {} : { developer_instructions: job.systemPrompt }),
  ...(job.tools === undefined || hasTool(job.tools, 'WebSearch') ? {} : { web_search: 'disabled' }),
  ...Object.fromEntries(serversOf(job).map(([name, server]) => [`mcp_servers.${name}`, serverOf(server)])),
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
