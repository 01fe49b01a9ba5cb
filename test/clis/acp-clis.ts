import { dirname, join } from 'node:path';
import type { AgentCli } from './agent-cli.ts';

/** A program that speaks the Agent Client Protocol, as a user has it, with a model of ours. */
export interface AcpCli extends Pick<AgentCli, 'name' | 'title' | 'version' | 'binary'> {
  /** Variables that give it the model at that address and keep it from looking for anything else. */
  surroundings(modelUrl: string, program: string): Readonly<Record<string, string>>;
  /** Files of its user, by path at home. */
  atHome(modelUrl: string): Readonly<Record<string, string>>;
  /** A model that it takes. */
  readonly model: string;
}

const machine = `${process.platform}-${process.arch}`;
const native = (spec: string, file: string) => (/^(linux|darwin)-(x64|arm64)$/.test(machine) ? { spec, file } : undefined);

const opencode: AcpCli = {
  name: 'opencode',
  title: 'opencode',
  version: '1.18.33',
  binary: native(`opencode-${machine}@1.18.33`, `opencode-${machine}/bin/opencode`),
  model: 'local/local-model',
  surroundings: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_DEFAULT_PLUGINS: '1' }),
  atHome: (url) => ({
    '.config/opencode/opencode.json': JSON.stringify({
      model: 'local/local-model',
      small_model: 'local/local-model',
      enabled_providers: ['local'],
      provider: {
        local: {
          npm: '@ai-sdk/openai-compatible',
          name: 'Local',
          options: { baseURL: `${url}/v1`, apiKey: 'sk-none' },
          models: {
            'local-model': { name: 'Local', limit: { context: 200_000, output: 32_000 }, cost: { input: 3, output: 15 } },
          },
        },
      },
    }),
  }),
};

const gemini: AcpCli = {
  name: 'gemini',
  title: 'Gemini CLI',
  version: '0.61.0',
  binary: { spec: '@google/gemini-cli@0.61.0', file: '@google/gemini-cli/bundle/gemini.js' },
  model: 'gemini-2.5-pro',
  surroundings: (url) => ({ GEMINI_API_KEY: 'sk-none', GOOGLE_GEMINI_BASE_URL: url }),
  // Defaults that lie in a directory everybody may write to are not read.
  atHome: () => ({
    '.gemini/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
    }),
  }),
};

const copilot: AcpCli = {
  name: 'copilot',
  title: 'GitHub Copilot CLI',
  version: '1.0.102',
  binary: native(`@github/copilot-${machine}@1.0.102`, `@github/copilot-${machine}/copilot`),
  model: 'local-model',
  surroundings: (url, program) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_PROVIDER_API_KEY: 'sk-none',
    COPILOT_MODEL: 'local-model',
    // It unpacks some hundred megabytes there, once.
    XDG_CACHE_HOME: join(dirname(program), '..', '..', '..', '.cache'),
  }),
  atHome: () => ({}),
};

const qwen: AcpCli = {
  name: 'qwen',
  title: 'Qwen Code',
  version: '0.24.4',
  binary: { spec: '@qwen-code/qwen-code@0.24.4', file: '@qwen-code/qwen-code/cli-entry.js' },
  model: 'local-model',
  surroundings: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'sk-none', OPENAI_MODEL: 'local-model' }),
  atHome: () => ({
    '.qwen/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'openai' } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    }),
  }),
};

export const acpClis: readonly AcpCli[] = [opencode, gemini, copilot, qwen];
