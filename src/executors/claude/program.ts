import { dirname, join } from 'node:path';
import type { Program } from '../../domain/agent/executor.ts';

/** The log-in command that a run names if its key is refused. */
export const LOGIN = 'claude setup-token';

export const claudeProgram: Program = {
  command: 'claude',
  versionArgs: ['--version'],
  proved: '2.1.325',
  // Without a version, npm on an old Node installs an old release without a warning.
  install: 'npm install -g @anthropic-ai/claude-code@2.1.325',
  login: `claude (then /login), or ${LOGIN}`,
  keys: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CODE_USE_BEDROCK',
    'CLAUDE_CODE_USE_VERTEX',
    'CLAUDE_CODE_USE_FOUNDRY',
  ],
  credentials: ['.claude/.credentials.json'],
  moved: { variable: 'CLAUDE_CONFIG_DIR', directory: '.claude' },
  // Includes the variables of the clouds that can provide its model.
  variables: [
    'ANTHROPIC_*',
    'CLAUDE_*',
    'AWS_*',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'GOOGLE_CLOUD_PROJECT',
    'CLOUD_ML_REGION',
    'VERTEX_REGION_*',
    'AZURE_*',
    'API_TIMEOUT_MS',
    'MAX_THINKING_TOKENS',
    'MAX_MCP_OUTPUT_TOKENS',
    'MCP_TIMEOUT',
    'MCP_TOOL_TIMEOUT',
    'ENABLE_TOOL_SEARCH',
    'BASH_DEFAULT_TIMEOUT_MS',
    'BASH_MAX_TIMEOUT_MS',
    'BASH_MAX_OUTPUT_LENGTH',
  ],
  native,
};

const MACHINES = ['linux-x64', 'linux-arm64', 'linux-x64-musl', 'linux-arm64-musl', 'darwin-x64', 'darwin-arm64'];

/** The package holds a link to the program, or a script if no install script ran; the packages per machine hold the program. */
function native(wrapper: string): readonly string[] {
  const parts = wrapper.split('/');
  const at = parts.lastIndexOf('claude-code');
  if (at < 1 || parts[at - 1] !== '@anthropic-ai') return [];
  const scope = parts.slice(0, at).join('/');
  const own = parts.slice(0, at + 1).join('/');
  const machine = (name: string): string[] => [
    join(scope, `claude-code-${name}`, 'claude'),
    join(own, 'node_modules', '@anthropic-ai', `claude-code-${name}`, 'claude'),
  ];
  return [...MACHINES.flatMap(machine), join(own, 'bin', 'claude.exe')].filter((path) => path !== wrapper);
}

/** Where the Agent SDK may be: in any `node_modules` above the resolved path of the program. */
export function sdkPlaces(program: string): readonly string[] {
  const places: string[] = [];
  for (let at = dirname(program); at !== dirname(at); at = dirname(at)) {
    if (at.endsWith('/node_modules')) places.push(join(at, '@anthropic-ai', 'claude-agent-sdk', 'sdk.mjs'));
  }
  return places;
}
