import { join } from 'node:path';

/*
 * The environment and settings that make each agent use a simulated model. The user's own settings could name another address or
 * key, so each agent gets a settings directory of its own for the rehearsal.
 */

export interface SimulatedAgentOptions {
  /** Address of the scenario, without `/v1`. */
  readonly url: string;
  /** Directory for the settings of agents. */
  readonly directory: string;
  /** Whether the scenario has quota windows, which providers report to subscriptions but not to API keys. */
  readonly isSubscription: boolean;
}

export interface SimulatedAgentEnv {
  readonly set: Readonly<Record<string, string>>;
  /** Variables that would choose another address, model or key. */
  readonly unset: readonly string[];
  /** Settings files by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** A value that no text contains by chance, because the redactor hides it as a secret. */
const KEY = 'sk-simulated-by-fleet';
/** A model name that no agent knows, because some agents offer tools differently for known models. */
const MODEL = 'simulated';

/** The environment and files with which every agent uses the simulated model and no other. */
export function simulatedAgentEnv({ url, directory, isSubscription }: SimulatedAgentOptions): SimulatedAgentEnv {
  const place = (name: string) => join(directory, name);
  return {
    set: {
      ANTHROPIC_BASE_URL: url,
      ...(isSubscription ? { CLAUDE_CODE_OAUTH_TOKEN: KEY } : { ANTHROPIC_API_KEY: KEY }),
      CLAUDE_CONFIG_DIR: place('claude'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CODEX_HOME: place('codex'),
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: KEY,
      GEMINI_CLI_HOME: place('gemini'),
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: KEY,
      OPENAI_MODEL: MODEL,
      QWEN_HOME: place('qwen'),
      OPENCODE_CONFIG: place('opencode.json'),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      COPILOT_HOME: place('copilot'),
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_MODEL: MODEL,
    },
    unset: [isSubscription ? 'ANTHROPIC_API_KEY' : 'CLAUDE_CODE_OAUTH_TOKEN', ...ELSEWHERE],
    files: {
      // No onboarding questions for a person in a terminal.
      [join('claude', '.claude.json')]: json({
        hasCompletedOnboarding: true,
        customApiKeyResponses: { approved: [KEY], rejected: [] },
      }),
      [join('claude', 'settings.json')]: json({ skipDangerousModePermissionPrompt: true }),
      [join('codex', 'config.toml')]: codexConfig(url),
      [join('gemini', '.gemini', 'settings.json')]: json({
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false },
      }),
      [join('qwen', 'settings.json')]: json({
        security: { auth: { selectedType: 'openai' } },
        privacy: { usageStatisticsEnabled: false },
      }),
      'opencode.json': json(opencodeConfig(url)),
    },
  };
}

const ELSEWHERE = [
  ...['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_MODEL', 'ANTHROPIC_CUSTOM_HEADERS', 'CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX'],
  ...['CODEX_API_KEY', 'OPENAI_ORGANIZATION', 'OPENAI_PROJECT'],
  ...['GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA', 'GOOGLE_VERTEX_BASE_URL', 'GEMINI_MODEL'],
  ...['OPENCODE_CONFIG_CONTENT', 'OPENCODE_CONFIG_DIR'],
];

/** Commands for a person who starts an agent by hand. */
export const manualCommands = (url: string): readonly { readonly agent: string; readonly lines: readonly string[] }[] => [
  { agent: 'Claude Code', lines: [`export ANTHROPIC_BASE_URL=${url}`, `export ANTHROPIC_API_KEY=${KEY}`] },
  {
    agent: 'Codex',
    lines: [
      `codex -m ${MODEL} -c model_provider=${MODEL} -c 'model_providers.${MODEL}={name="${MODEL}",base_url="${url}/v1",wire_api="responses"}'`,
    ],
  },
  { agent: 'Gemini CLI', lines: [`export GOOGLE_GEMINI_BASE_URL=${url}`, `export GEMINI_API_KEY=${KEY}`] },
  {
    agent: 'Any agent that speaks Chat Completions or Responses',
    lines: [`export OPENAI_BASE_URL=${url}/v1`, `export OPENAI_API_KEY=${KEY}`, `export OPENAI_MODEL=${MODEL}`],
  },
];

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

const codexConfig = (url: string): string =>
  `model = "${MODEL}"
model_provider = "${MODEL}"
check_for_update_on_startup = false

[model_providers.${MODEL}]
name = "${MODEL}"
base_url = "${url}/v1"
wire_api = "responses"

[analytics]
enabled = false
`;

const opencodeConfig = (url: string) => ({
  model: `${MODEL}/${MODEL}`,
  small_model: `${MODEL}/${MODEL}`,
  autoupdate: false,
  share: 'disabled',
  enabled_providers: [MODEL],
  provider: {
    [MODEL]: {
      npm: '@ai-sdk/openai-compatible',
      name: MODEL,
      options: { baseURL: `${url}/v1`, apiKey: KEY },
      models: { [MODEL]: { limit: { context: 200_000, output: 32_000 } } },
    },
  },
});
