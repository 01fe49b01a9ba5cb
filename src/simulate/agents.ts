import { join } from 'node:path';

/*
 * How each agent is led to a simulated model. Nothing of the user's has a say: an agent's own settings can name another address
 * or another key, so each gets a directory of settings for the rehearsal.
 */

export interface AgentNeeds {
  /** Where the scenario is played, without `/v1`. */
  readonly url: string;
  /** Where settings of agents may be written. */
  readonly directory: string;
  /** Whether the scenario is about a subscription: what is told of its windows is told to nobody with a key. */
  readonly isSubscription: boolean;
}

export interface AgentSurroundings {
  readonly set: Readonly<Record<string, string>>;
  /** What would lead an agent, or what it pays with, elsewhere. */
  readonly unset: readonly string[];
  /** By path. */
  readonly files: Readonly<Record<string, string>>;
}

/** No word of its own: whatever says it is hidden as a secret. */
const KEY = 'sk-simulated-by-fleet';
/** Unknown to every agent: for models they know, some offer tools in ways of their own. */
const MODEL = 'simulated';

/** What a program needs so that every agent it starts speaks to that model and to no other. */
export function agentSurroundings({ url, directory, isSubscription }: AgentNeeds): AgentSurroundings {
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
      // Whoever looks at it in a terminal is not asked about first steps.
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

/** Variables and words for somebody who starts one agent by hand. */
export const byHand = (url: string): readonly { readonly agent: string; readonly lines: readonly string[] }[] => [
  { agent: 'Claude Code', lines: [`export ANTHROPIC_BASE_URL=${url}`, `export ANTHROPIC_API_KEY=${KEY}`] },
  {
    agent: 'Codex',
    lines: [
      `codex -m ${MODEL} -c model_provider=${MODEL} -c 'model_providers.${MODEL}={name="${MODEL}",base_url="${url}/v1",wire_api="responses"}'`,
    ],
  },
  { agent: 'Gemini CLI', lines: [`export GOOGLE_GEMINI_BASE_URL=${url}`, `export GEMINI_API_KEY=${KEY}`] },
  {
    agent: 'Whatever speaks Chat Completions or Responses',
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
