import { type AgentCli, type HeadlessNeeds, jsonLines } from './agent-cli.ts';

const VERSION = '2.1.325';

const isMusl = (): boolean => {
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return process.platform === 'linux' && header?.glibcVersionRuntime === undefined;
};

function binary(): AgentCli['binary'] {
  const machine = `${process.platform}-${process.arch}`;
  if (!/^(linux|darwin)-(x64|arm64)$/.test(machine)) return undefined;
  const name = `@anthropic-ai/claude-code-${machine}${isMusl() ? '-musl' : ''}`;
  return { spec: `${name}@${VERSION}`, file: `${name}/claude` };
}

export const claude: AgentCli = {
  name: 'claude',
  title: 'Claude Code',
  version: VERSION,
  binary: binary(),
  surroundings: (modelUrl) => ({
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'sk-none',
    // Root may skip the questions only where it says that it is in a sandbox.
    IS_SANDBOX: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  showAll: { ENABLE_TOOL_SEARCH: 'false' },
  headless: ({ fleet }) => [
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    '--dangerously-skip-permissions',
    '--model',
    'sonnet',
    ...attaching(fleet),
    '--',
  ],
  lastWords: (output) => {
    const result = jsonLines(output).find(({ type }) => type === 'result');
    // A request that failed is told as a success with an error.
    if (result?.['subtype'] !== 'success' || result['is_error'] !== false)
      throw new Error(`claude did not end well: ${JSON.stringify(result)}`);
    return String(result['result']);
  },
  belongings: {
    '.claude/settings.json': '{"permissions":{"deny":["WebFetch"]}}\n',
    '.claude/CLAUDE.md': 'Answer in rhymes.\n',
    '.claude.json': '{"mcpServers":{"mine":{"type":"stdio","command":"false","args":[]}}}\n',
  },
  settingsIn: (path, text) => {
    if (path !== '.claude.json') return text;
    const { mcpServers, projects = {} } = JSON.parse(text) as {
      mcpServers: object;
      projects?: Record<string, { mcpServers?: object }>;
    };
    return [mcpServers, ...Object.values(projects).flatMap((project) => Object.entries(project.mcpServers ?? {}))];
  },
  rules: `
[[events]]
when = { type = "system", subtype = "init" }
then = "opened"
session = "session_id"

[[events]]
when = { type = "result", is_error = false }
then = "ended"
verdict = "succeeded"
summary = "result"

[[events]]
when = { type = "result", is_error = true }
then = "ended"
verdict = "errored"
summary = "result"
`,
};

function attaching(fleet: HeadlessNeeds['fleet']): string[] {
  if (fleet === 'attached') return [];
  const alone = (config: string) => ['--mcp-config', config, '--strict-mcp-config'];
  if (fleet === 'of the run') return alone('{mcp_config}');
  return alone(JSON.stringify({ mcpServers: { fleet: { type: 'url' in fleet ? 'http' : 'stdio', ...fleet } } }));
}
