import type { Conversation, Interactive, Job, Launch } from '../../domain/agent/executor.ts';
import { askRules, isFree, NEVER, toolNames } from './restriction.ts';
import { uuidOf } from './uuid.ts';

/** How Fleet runs the program: directly, or by the Agent SDK through a small program of Fleet. */
export type ClaudeEngine =
  | { readonly kind: 'cli'; readonly command: string }
  | { readonly kind: 'sdk'; readonly command: string; readonly sdk: string; readonly node: string; readonly agent: string };

export function launchOf(engine: ClaudeEngine, job: Job): Launch {
  const args = argsOf(job);
  const around = { env: ENV, files: [], mode: 'twoway' as const };
  if (engine.kind === 'cli') return { command: engine.command, args: [...HEADLESS, ...args], ...around };
  const programs = [engine.agent, engine.sdk, engine.command];
  return { command: engine.node, args: [...programs, ...args], programs, ...around };
}

/**
 * Starts the program itself, whichever engine runs use. The folder is trusted for this session only, and nothing is recorded. The
 * settings of the repository, which trust would enable, are ignored as in runs.
 */
export const interactiveOf = ({ command }: ClaudeEngine, job: Job, { session }: Conversation): Interactive => ({
  command,
  args: [...job.extraArgs, '--resume', session, ...commonArgs(job), ...forPerson(job.tools), '--setting-sources', 'user'],
  env: { ...QUIET, CLAUDE_CODE_SANDBOXED: '1' },
  files: [],
});

/** Where a run would be refused, the program asks the person. */
function forPerson(tools: Job['tools']): string[] {
  const isRestricted = tools !== undefined && !isFree(tools);
  if (isRestricted) return restriction(tools);
  return ['--settings', JSON.stringify({ skipDangerousModePermissionPrompt: true }), '--permission-mode', 'bypassPermissions'];
}

const HEADLESS = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];

const QUIET: Readonly<Record<string, string>> = {
  // No traffic except to the provider, and no updates.
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  // Root may bypass permissions only with this variable; other users are not affected.
  IS_SANDBOX: '1',
  // Reads the CLAUDE.md of directories given by `--add-dir`, see `argsOf`.
  CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1',
};

const ENV: Readonly<Record<string, string>> = {
  ...QUIET,
  // Reports failures before the first turn as a result, not only on stderr.
  CLAUDE_CODE_STARTUP_FAILURE_RESULTS: '1',
};

/**
 * Only the user's settings are read. Those of a repository may name hooks, servers and even the address that gets the user's key,
 * and in a run nobody is asked whether to trust them. Its CLAUDE.md, which is only text, would be ignored with its settings;
 * `--add-dir` includes it again.
 *
 * The user's own MCP servers stay attached, because users expect them. A restricted run gets only Fleet's, because others could
 * do what the restriction forbids.
 *
 * The extra arguments of the task come first: of a flag given twice, the last one counts.
 */
function argsOf(job: Job): string[] {
  const { tools, mcpConfig, maxTurns, maxBudgetUsd } = job;
  const isRestricted = tools !== undefined && !isFree(tools);
  return [
    ...job.extraArgs,
    ...conversation(job),
    ...commonArgs(job),
    ...(maxTurns === undefined ? [] : ['--max-turns', String(maxTurns)]),
    ...(maxBudgetUsd === undefined ? [] : ['--max-budget-usd', String(maxBudgetUsd)]),
    ...(mcpConfig === undefined ? [] : ['--mcp-config', mcpConfig]),
    ...['--disallowedTools', NEVER.join(',')],
    ...(isRestricted ? restriction(tools) : ['--permission-mode', 'bypassPermissions']),
    ...['--permission-prompt-tool', 'stdio', '--setting-sources', 'user'],
  ];
}

/** The arguments for a run and for a person alike. */
function commonArgs({ model, effort, systemPrompt, tools, workDirectory }: Job): string[] {
  const names = toolNames(tools);
  return [
    ...(model === undefined ? [] : ['--model', model]),
    // The program has no effort `minimal`.
    ...(effort === undefined ? [] : ['--effort', effort === 'minimal' ? 'low' : effort]),
    ...(systemPrompt === undefined ? [] : ['--append-system-prompt', systemPrompt]),
    ...['--add-dir', workDirectory],
    ...(names === undefined ? [] : ['--tools', names.join(',')]),
  ];
}

const restriction = (tools: readonly string[]): string[] => [
  ...['--settings', JSON.stringify({ permissions: { ask: askRules(tools) }, sandbox: { autoAllowBashIfSandboxed: false } })],
  ...['--strict-mcp-config', '--permission-mode', 'manual'],
];

/** Arguments that resume, fork or name the conversation. Its id derives from the run in which it begins. */
const conversation = ({ runId, resume, fork }: Job): string[] => [
  ...(resume === undefined ? [] : ['--resume', resume]),
  ...(resume !== undefined && fork ? ['--fork-session'] : []),
  ...(resume === undefined || fork ? ['--session-id', uuidOf(runId)] : []),
];
