import { hasTool, mayRun, mayRunAll, mayWrite } from '../../domain/agent/tools.ts';
import { isServerTool } from '../../domain/project/mcp-servers.ts';
import { type ClaudeFields, textOf } from './fields.ts';

type Tools = readonly string[] | undefined;

/** The program's names for Fleet's tool names. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  Read: ['Read'],
  Grep: ['Grep'],
  Glob: ['Glob'],
  Write: ['Write', 'NotebookEdit'],
  Edit: ['Edit', 'NotebookEdit'],
  Bash: ['Bash', 'TaskStop'],
  WebFetch: ['WebFetch'],
  WebSearch: ['WebSearch'],
};

/** Tools without side effects: finding further tools, keeping a to-do list, listing findings. */
const HARMLESS = ['ToolSearch', 'TodoWrite', 'ReportFindings'];

/** Tools that only use the other tools. */
const WHERE_ALL_RUNS = ['Task', 'Skill', 'Monitor'];

/**
 * Tools that no run may use: they would leave the workspace, wait for a person to approve a plan, start work later, or talk to
 * other sessions on this machine without Fleet.
 */
export const NEVER: readonly string[] = [
  'EnterWorktree',
  'ExitWorktree',
  'EnterPlanMode',
  'ExitPlanMode',
  'CronCreate',
  'CronDelete',
  'CronList',
  'ScheduleWakeup',
  'ListAgents',
  'SendMessage',
];

/** The program's tools to offer; undefined means all. */
export function toolNames(tools: Tools): readonly string[] | undefined {
  if (!tools) return undefined;
  const named = Object.entries(NAMES).flatMap(([word, names]) => (hasTool(tools, word) ? names : []));
  return [...new Set([...named, ...HARMLESS, ...(isFree(tools) ? WHERE_ALL_RUNS : [])])];
}

/** Whether the agent may run every command and change every file, so that no permission is needed. */
export const isFree = (tools: Tools): boolean => mayRunAll(tools) && mayWrite(tools);

/** Rules that make the program ask. They outrank the user's own allow rules, which must not apply in a restricted run. */
export const askRules = (tools: Tools): readonly string[] => [
  'Bash',
  ...(mayWrite(tools) ? [] : ['Write', 'Edit', 'NotebookEdit']),
];

export type Ruling = 'allow' | 'deny' | 'person';

/** The decision on a request to use a tool. If the program asks although everything is allowed, a person decides. */
export function ruling(tools: Tools, tool: string, input: ClaudeFields): Ruling {
  if (isFleetTool(tool)) return 'allow';
  if (!tools) return 'person';
  if (isServerTool(tools, tool)) return 'allow';
  if (tool === 'Bash') return mayRun(tools, textOf(input['command']) ?? '') ? 'allow' : 'deny';
  return toolNames(tools)?.includes(tool) ? 'allow' : 'deny';
}

const isFleetTool = (tool: string): boolean => tool.startsWith('mcp__fleet__');

/** The message to the agent about a denied tool. */
export const denial = (tools: Tools, tool: string): string =>
  `This run may not use ${tool} so. It may use: ${(tools ?? []).join(', ') || 'nothing'}, and the tools of fleet. Go on without it.`;
