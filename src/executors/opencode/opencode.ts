import { pathToFileURL } from 'node:url';
import { extraDirectories, type Program } from '../../domain/agent/executor.ts';
import { hasTool, mayRunAll, mayWrite } from '../../domain/agent/tools.ts';
import { acpExecutor } from '../acp-client/acp-client.ts';
import type { Executor, Job } from '../executor.ts';
import { notices } from './notices.ts';
import { PLUGIN, PLUGIN_FILE } from './plugin.ts';

const PACKAGES = ['opencode-linux-x64', 'opencode-linux-arm64', 'opencode-darwin-x64', 'opencode-darwin-arm64'];

export const opencodeProgram: Program = {
  command: 'opencode',
  versionArgs: ['--version'],
  proved: '1.18.33',
  install: 'npm install -g opencode-ai',
  login: 'opencode auth login',
  keys: ['OPENCODE_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'],
  credentials: ['.local/share/opencode/auth.json'],
  variables: [
    ...['OPENCODE_*', 'ANTHROPIC_*', 'OPENAI_*', 'OPENROUTER_*', 'GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    ...['GROQ_API_KEY', 'MISTRAL_API_KEY', 'XAI_API_KEY', 'DEEPSEEK_API_KEY'],
  ],
  // The package's file is a script until its install script replaces it by the program.
  native: (wrapper) => {
    const modules = wrapper.replace(/\/opencode-ai\/bin\/[^/]+$/, '');
    return modules === wrapper
      ? []
      : PACKAGES.flatMap((name) => [
          `${modules}/${name}/bin/opencode`,
          `${modules}/opencode-ai/node_modules/${name}/bin/opencode`,
        ]);
  },
};

/** opencode, by the Agent Client Protocol. */
export const opencode = (command: string): Executor =>
  acpExecutor({
    name: 'opencode',
    can: { resume: true, fork: true, steer: true, ask: true, usage: true, context: true, mcp: true, tools: true },
    program: opencodeProgram,
    login: opencodeProgram.login,
    modelAtLaunch: false,
    reportsSteps: true,
    notificationHandlers: notices,
    launch: (job) => ({
      command,
      args: ['acp', ...job.extraArgs],
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify(configOf(job)),
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        // Settings of a repository could lift the restriction. An agent that may run any command is not restricted by it anyway.
        ...(mayRunAll(job.tools) ? {} : { OPENCODE_DISABLE_PROJECT_CONFIG: '1' }),
      },
      files: [{ name: PLUGIN_FILE, text: PLUGIN }],
    }),
  });

/** Settings that are merged over the user's own, whose files are not changed. */
const configOf = (job: Job): object => ({
  autoupdate: false,
  share: 'disabled',
  plugin: [pathToFileURL(`${job.runDirectory}/${PLUGIN_FILE}`).href],
  ...(job.tools ? restricted(job, job.tools) : { permission: 'allow' }),
});

const AGENT = 'fleet';

/** Defines an agent of Fleet, which the user's permissions for other agents do not affect. */
function restricted(job: Job, tools: readonly string[]): object {
  const allowed = (may: boolean): string => (may ? 'allow' : 'deny');
  const permission = {
    '*': 'deny',
    read: allowed(hasTool(tools, 'Read')),
    grep: allowed(hasTool(tools, 'Grep')),
    glob: allowed(hasTool(tools, 'Glob')),
    list: allowed(hasTool(tools, 'Glob') || hasTool(tools, 'Read')),
    edit: allowed(mayWrite(tools)),
    bash: mayRunAll(tools) ? 'allow' : hasTool(tools, 'Bash') ? 'ask' : 'deny',
    webfetch: allowed(hasTool(tools, 'WebFetch')),
    websearch: allowed(hasTool(tools, 'WebSearch')),
    todowrite: 'allow',
    todoread: 'allow',
    // An agent that may run any command is not restricted by it, so it would only be in the way.
    external_directory: mayRunAll(tools)
      ? 'allow'
      : { '*': 'deny', ...Object.fromEntries(extraDirectories(job).map((place) => [`${place}/*`, 'allow'])) },
    ...Object.fromEntries(['fleet', ...Object.keys(job.servers ?? {})].map((name) => [`${name}_*`, 'allow'])),
  };
  return {
    permission,
    default_agent: AGENT,
    // The agent goes on after a denied permission.
    experimental: { continue_loop_on_deny: true },
    agent: { [AGENT]: { mode: 'primary', description: 'works for Fleet', permission } },
    instructions: [`${job.workDirectory}/AGENTS.md`, `${job.workDirectory}/CLAUDE.md`],
  };
}
