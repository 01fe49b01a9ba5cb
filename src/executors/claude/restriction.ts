import { hasTool, mayRun, mayRunAll, mayWrite } from '../../domain/agent/tools.ts';
import { isServerTool } from '../../domain/project/mcp-servers.ts';
import { type Fields, textOf } from './fields.ts';

type Tools = readonly string[] | undefined;

/** What the program calls our words. */
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

/** Do nothing to the world: finding tools that are not shown at once, keeping a list of things to do, reading a skill of the user's. */
const HARMLESS = ['ToolSearch', 'TodoWrite', 'ReportFindings'];

/** Use the same tools again, and nothing else. */
const WHERE_ALL_RUNS = ['Task', 'Skill', 'Monitor'];

/**
 * Not for runs, whatever else they may use: they would leave the workspace, wait for a person to approve a plan, come back when
 * nobody listens, or speak to other sessions of this machine behind Fleet's back.
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

/** Tools of the program that are there at all; undefined: all of them. */
export function toolNames(tools: Tools): readonly string[] | undefined {
  if (!tools) return undefined;
  const named = Object.entries(NAMES).flatMap(([word, names]) => (hasTool(tools, word) ? names : []));
  return [...new Set([...named, ...HARMLESS, ...(isFree(tools) ? WHERE_ALL_RUNS : [])])];
}

/** Whoever may run every command and change every file need not be asked about anything. */
export const isFree = (tools: Tools): boolean => mayRunAll(tools) && mayWrite(tools);

/** Rules of the user that allow something do not count in a restricted run: a rule to ask comes before them. */
export const askRules = (tools: Tools): readonly string[] => [
  'Bash',
  ...(mayWrite(tools) ? [] : ['Write', 'Edit', 'NotebookEdit']),
];

export type Ruling = 'allow' | 'deny' | 'person';

/** What becomes of a request to use a tool. Where everything is allowed and it asks all the same, a person decides. */
export function ruling(tools: Tools, tool: string, input: Fields): Ruling {
  if (isFleets(tool)) return 'allow';
  if (!tools) return 'person';
  if (isServerTool(tools, tool)) return 'allow';
  if (tool === 'Bash') return mayRun(tools, textOf(input['command']) ?? '') ? 'allow' : 'deny';
  return toolNames(tools)?.includes(tool) ? 'allow' : 'deny';
}

const isFleets = (tool: string): boolean => tool.startsWith('mcp__fleet__');

/** What the agent reads when it may not. */
export const denial = (tools: Tools, tool: string): string =>
  `This run may not use ${tool} so. It may use: ${(tools ?? []).join(', ') || 'nothing'}, and the tools of fleet. Go on without it.`;
