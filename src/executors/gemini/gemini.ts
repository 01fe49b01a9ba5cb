import { extraDirectories, type Program } from '../../domain/agent/executor.ts';
import type { AcpUsage } from '../acp-client/acp-agent.ts';
import { acpExecutor } from '../acp-client/acp-client.ts';
import { fieldsOf, recordsIn, textIn } from '../acp-client/rpc.ts';
import { count } from '../acp-client/updates.ts';
import type { Executor, Job } from '../executor.ts';
import { policyOf } from './policy.ts';

export const geminiProgram: Program = {
  command: 'gemini',
  versionArgs: ['--version'],
  proved: '0.61.0',
  install: 'npm install -g @google/gemini-cli',
  login: 'gemini',
  keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS'],
  credentials: ['.gemini/oauth_creds.json'],
  variables: [
    ...['GEMINI_*', 'GOOGLE_API_KEY', 'GOOGLE_GEMINI_*', 'GOOGLE_GENAI_*', 'GOOGLE_VERTEX_*', 'GOOGLE_CLOUD_*'],
    'GOOGLE_APPLICATION_CREDENTIALS',
  ],
};

const DEFAULTS = 'gemini-defaults.json';
const POLICY = 'gemini-policy.toml';

/** The Gemini CLI, by the Agent Client Protocol. */
export const gemini = (command: string): Executor =>
  acpExecutor({
    name: 'gemini',
    // No steering: a second prompt cancels the first, so a message waits until the turn is over. Conversations cannot be forked.
    can: { resume: true, fork: false, steer: false, ask: true, usage: true, context: false, mcp: true, tools: true },
    program: geminiProgram,
    login: 'gemini, and choose how to sign in; or set GEMINI_API_KEY',
    modelAtLaunch: true,
    usageIn,
    promptAfterReplay: '/help',
    // Only its own shell tool is of this kind, and its title is the whole command.
    commandIn: ({ title }) => textIn(title),
    launch: (job) => ({
      command,
      args: [
        '--acp',
        ...(job.tools ? restricted(job) : ['--approval-mode', 'yolo']),
        ...(job.model === undefined ? [] : ['--model', job.model]),
        // Long prompts are files there.
        ...extraDirectories(job).flatMap((place) => ['--include-directories', place]),
        ...job.extraArgs,
      ],
      env: {
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
        // Without it, the program starts a second copy of itself that outlives the first.
        GEMINI_CLI_NO_RELAUNCH: 'true',
        GEMINI_CLI_SYSTEM_DEFAULTS_PATH: `${job.runDirectory}/${DEFAULTS}`,
      },
      files: [
        { name: DEFAULTS, text: `${JSON.stringify(defaultsOf(job), undefined, 2)}\n` },
        ...(job.tools ? [{ name: POLICY, text: policyOf(job.tools) }] : []),
      ],
    }),
  });

const restricted = ({ runDirectory, servers = {} }: Job): string[] => [
  ...['--approval-mode', 'default', '--admin-policy', `${runDirectory}/${POLICY}`],
  ...['--allowed-mcp-server-names', ['fleet', ...Object.keys(servers)].join(',')],
];

/** Defaults, which the user's own settings override. */
const defaultsOf = ({ maxTurns }: Job): object => ({
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  // Without it, a user whose key is only in the environment cannot resume a conversation.
  security: { auth: { selectedType: 'gemini-api-key' } },
  ...(maxTurns === undefined ? {} : { model: { maxSessionTurns: maxTurns } }),
});

function usageIn(result: Readonly<Record<string, unknown>>): AcpUsage | undefined {
  const quota = fieldsOf(fieldsOf(result['_meta'])['quota']);
  const tokens = fieldsOf(quota['token_count']);
  const inputTokens = count(tokens['input_tokens']);
  const outputTokens = count(tokens['output_tokens']);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const [used, ...others] = recordsIn(quota['model_usage']);
  const model = others.length === 0 ? textIn(used?.['model']) : undefined;
  return { inputTokens, outputTokens, ...(model === undefined ? {} : { model }) };
}
