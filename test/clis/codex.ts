import { join } from 'node:path';
import { root } from '../../tools/paths.mjs';
import { type AgentCli, type HeadlessNeeds, jsonLines, type McpServerAddress, type McpServerCommand } from './agent-cli.ts';

const VERSION = '0.166.0';

const TARGETS: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
};

function binary(): AgentCli['binary'] {
  const machine = `${process.platform}-${process.arch}`;
  const target = TARGETS[machine];
  if (target === undefined) return undefined;
  return { spec: `@openai/codex@${VERSION}-${machine}`, file: `@openai/codex/vendor/${target}/bin/codex` };
}

/** It takes no file and hands its environment on to no server, but for variables that are named. */
const OF_THE_RUN = {
  command: process.execPath,
  args: [join(root, 'dist', 'fleet.mjs'), 'mcp', '--run'],
  env_vars: ['FLEET_RUN_DIR'],
};

export const codex: AgentCli = {
  name: 'codex',
  title: 'Codex',
  version: VERSION,
  binary: binary(),
  surroundings: () => ({ LOCAL_MODEL_KEY: 'sk-none' }),
  showAll: {},
  headless: ({ modelUrl, fleet }) => {
    return [
      'exec',
      '--json',
      '--dangerously-bypass-approvals-and-sandbox',
      '--skip-git-repo-check',
      ...(modelUrl === undefined ? [] : modelAt(modelUrl)),
      ...attaching(fleet),
      ...['-c', 'analytics.enabled=false', '-c', 'check_for_update_on_startup=false'],
      ...['--disable', 'plugins', '--disable', 'apps'],
      '--',
    ];
  },
  lastWords: (output) => {
    const events = jsonLines(output);
    if (events.at(-1)?.['type'] !== 'turn.completed') throw new Error(`codex did not end well: ${JSON.stringify(events.at(-1))}`);
    const said = events.map(({ item }) => item as { type: string; text?: string } | undefined);
    return said.findLast((item) => item?.type === 'agent_message')?.text ?? '';
  },
  belongings: {
    '.codex/config.toml': 'model_reasoning_effort = "high"\n\n[mcp_servers.mine]\ncommand = "false"\n',
    '.codex/AGENTS.md': 'Answer in rhymes.\n',
  },
  // It notes down by itself which directories it may trust.
  settingsIn: (_path, text) => text.replace(/\n\[projects\."[^"]*"\]\ntrust_level = "trusted"\n/g, ''),
  rules: `
[[events]]
when = { type = "thread.started" }
then = "opened"
session = "thread_id"

[[events]]
when = { type = "item.completed", "item.type" = "agent_message" }
then = "said"
text = "item.text"

[[events]]
when = { type = "turn.failed" }
then = "ended"
verdict = "errored"
summary = "error.message"
`,
};

function modelAt(modelUrl: string): string[] {
  const provider = { name: 'local', base_url: `${modelUrl}/v1`, env_key: 'LOCAL_MODEL_KEY', wire_api: 'responses' };
  // A name it does not know: known models are offered tools in ways of their own.
  return ['-m', 'local-model', '-c', 'model_provider=local', '-c', `model_providers.local=${inline(provider)}`];
}

function attaching(fleet: HeadlessNeeds['fleet']): string[] {
  // It begins without a server that is not there within a second, unless that one is required.
  const patience = ['-c', 'mcp_servers.fleet.required=true', '-c', 'mcp_servers.fleet.startup_timeout_sec=60'];
  if (fleet === 'attached') return patience;
  return ['-c', `mcp_servers.fleet=${inline(fleet === 'of the run' ? OF_THE_RUN : serverOf(fleet))}`, ...patience];
}

const serverOf = (fleet: McpServerCommand | McpServerAddress): Table =>
  'url' in fleet ? { url: fleet.url, http_headers: fleet.headers } : { ...fleet };

interface Table {
  readonly [key: string]: string | readonly string[] | Readonly<Record<string, string>>;
}

/** Strings and lists of strings look the same in TOML as in JSON. */
const inline = (table: Table): string =>
  `{${Object.entries(table)
    .map(([key, value]) => `${key}=${typeof value === 'string' || isList(value) ? JSON.stringify(value) : inline(value)}`)
    .join(',')}}`;

const isList = (value: Table[string]): value is readonly string[] => Array.isArray(value);
