import type { Conversation, Interactive, Job, Launch } from '../../domain/agent/executor.ts';
import { askRules, isFree, NEVER, toolNames } from './restriction.ts';
import { uuidOf } from './uuid.ts';

/** How the program is spoken to: its own lines, or the Agent SDK through a small program of ours. */
export type Engine =
  | { readonly kind: 'cli'; readonly command: string }
  | { readonly kind: 'sdk'; readonly command: string; readonly sdk: string; readonly node: string; readonly agent: string };

export function launchOf(engine: Engine, job: Job): Launch {
  const args = argsOf(job);
  const around = { env: ENV, files: [], mode: 'twoway' as const };
  if (engine.kind === 'cli') return { command: engine.command, args: [...HEADLESS, ...args], ...around };
  const programs = [engine.agent, engine.sdk, engine.command];
  return { command: engine.node, args: [...programs, ...args], programs, ...around };
}

/**
 * By the program itself, whichever engine runs use. The folder is trusted for this session alone and nothing is written down:
 * what trust would let in, the settings of a repository, is left out as in runs.
 */
export const interactiveOf = ({ command }: Engine, job: Job, { session }: Conversation): Interactive => ({
  command,
  args: [...job.extraArgs, '--resume', session, ...wishes(job), ...forPerson(job.tools), '--setting-sources', 'user'],
  env: { ...QUIET, CLAUDE_CODE_SANDBOXED: '1' },
  files: [],
});

/** Where a run would be held back a person is asked. */
function forPerson(tools: Job['tools']): string[] {
  const isRestricted = tools !== undefined && !isFree(tools);
  if (isRestricted) return restriction(tools);
  return ['--settings', JSON.stringify({ skipDangerousModePermissionPrompt: true }), '--permission-mode', 'bypassPermissions'];
}

const HEADLESS = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];

const QUIET: Readonly<Record<string, string>> = {
  // It asks nobody but its provider, and stays the version it is.
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  // Root may do without being asked only where it says so; to others it means nothing.
  IS_SANDBOX: '1',
  // Reads the CLAUDE.md of the directories given, see `argsOf`.
  CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1',
};

const ENV: Readonly<Record<string, string>> = {
  ...QUIET,
  // What goes wrong before the first turn is told as a result and not on stderr alone.
  CLAUDE_CODE_STARTUP_FAILURE_RESULTS: '1',
};

/**
 * Settings are the user's alone: those of a repository may name hooks, servers and even the address the user's key is sent to,
 * and nobody is asked whether to trust them where nobody is there. The CLAUDE.md of the repository is left out with its
 * settings, and is only text: giving the directory once more brings it back.
 *
 * Servers of the user's own stay attached, because an agent of his is expected to have them; a restricted run has Fleet's
 * alone, because nobody knows what the others would do for it.
 *
 * What the task adds comes first: where a flag is given twice the last one counts.
 */
function argsOf(job: Job): string[] {
  const { tools, mcpConfig, maxTurns, maxBudgetUsd } = job;
  const isRestricted = tools !== undefined && !isFree(tools);
  return [
    ...job.extraArgs,
    ...conversation(job),
    ...wishes(job),
    ...(maxTurns === undefined ? [] : ['--max-turns', String(maxTurns)]),
    ...(maxBudgetUsd === undefined ? [] : ['--max-budget-usd', String(maxBudgetUsd)]),
    ...(mcpConfig === undefined ? [] : ['--mcp-config', mcpConfig]),
    ...['--disallowedTools', NEVER.join(',')],
    ...(isRestricted ? restriction(tools) : ['--permission-mode', 'bypassPermissions']),
    ...['--permission-prompt-tool', 'stdio', '--setting-sources', 'user'],
  ];
}

/** What holds for an agent and for a person. */
function wishes({ model, effort, systemPrompt, tools, workDirectory }: Job): string[] {
  const names = toolNames(tools);
  return [
    ...(model === undefined ? [] : ['--model', model]),
    // It has no word for the least.
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

/** A conversation has the name of the run it began in. */
const conversation = ({ runId, resume, fork }: Job): string[] => [
  ...(resume === undefined ? [] : ['--resume', resume]),
  ...(resume !== undefined && fork ? ['--fork-session'] : []),
  ...(resume === undefined || fork ? ['--session-id', uuidOf(runId)] : []),
];
