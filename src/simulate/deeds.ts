import { isAbsolute, join } from 'node:path';
import type { AnswerPart, ToolArguments } from './answer.ts';
import { isLookUp, type ModelConversation, type OfferedTool, type ToolResult } from './conversation.ts';
import { argumentsOf, isList, sampleOf } from './sample.ts';
import type { ScenarioDeed } from './scenario/scenario.ts';

/** The scenario needs a tool or a result that the agent does not provide. */
export class ScenarioFault extends Error {}

type Call = Extract<AnswerPart, { readonly kind: 'call' }>;
type Role = 'path' | 'text' | 'from' | 'to' | 'command';

/** Names of the agents' tools for each deed, and of their arguments. */
const TOOLS: Readonly<Record<Exclude<ScenarioDeed['do'], 'call'>, readonly string[]>> = {
  write: ['Write', 'write_file', 'write', 'create', 'create_file'],
  edit: ['Edit', 'replace', 'edit', 'str_replace'],
  read: ['Read', 'read_file', 'read', 'view'],
  run: ['Bash', 'exec_command', 'run_shell_command', 'bash', 'shell_command', 'shell'],
};
const ROLES: Readonly<Record<Role, readonly string[]>> = {
  path: ['file_path', 'filePath', 'path', 'absolute_path'],
  text: ['content', 'file_text', 'contents', 'text'],
  from: ['old_string', 'oldString', 'old_str', 'oldText'],
  to: ['new_string', 'newString', 'new_str', 'newText'],
  command: ['command', 'cmd'],
};

/** The tool call that does a deed with the agent's tools. If the tool must be looked up first, it is the call that does so. */
export function callFor(deed: ScenarioDeed, conversation: ModelConversation, source: string): Call {
  if (deed.do === 'call') return namedCall(deed.tool, filled(deed.arguments, conversation), conversation, source);
  const { tools } = conversation;
  const tool = TOOLS[deed.do].map((name) => tools.find((candidate) => candidate.name === name)).find((found) => found);
  if (tool) return { kind: 'call', tool, arguments: fitted(tool, valuesOf(deed, conversation, source)) };
  if (deed.do === 'run') throw new ScenarioFault(`the agent offers no tool to run a command: ${namesOf(tools)}`);
  return callFor({ do: 'run', command: inShell(deed, conversation) }, conversation, source);
}

function valuesOf(
  deed: Exclude<ScenarioDeed, { do: 'call' }>,
  conversation: ModelConversation,
  source: string,
): Partial<Record<Role, string>> {
  if (deed.do === 'run') return { command: filledText(deed.command, conversation) };
  const path = isAbsolute(deed.file) ? deed.file : join(placeIn(source), deed.file);
  if (deed.do === 'read') return { path };
  if (deed.do === 'write') return { path, text: filledText(deed.text, conversation) };
  return { path, from: deed.from, to: deed.to };
}

/** The work directory as the agent states it in the JSON of its request. Most tools take only absolute paths. */
const placeIn = (source: string): string =>
  /(?:working (?:in the )?directory: |<cwd>|Workspace Directories:\*\*\\n\s*- )(\/[^"\\<]+)/i.exec(source)?.[1]?.trim() ?? '';

/** The arguments of a call, matched by name. Other required arguments get a sample value. */
function fitted(tool: OfferedTool, values: Partial<Record<Role, string>>): ToolArguments {
  const { properties, required } = argumentsOf(tool.schema);
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) => {
      const role = (Object.keys(values) as Role[]).find((candidate) => ROLES[candidate].includes(name));
      const value = role === undefined ? undefined : values[role];
      if (value !== undefined) return [[name, role === 'command' && isList(schema) ? ['/bin/sh', '-c', value] : value]];
      return required.includes(name) ? [[name, sampleOf(schema)]] : [];
    }),
  );
}

/** The shell command for an agent that has only commands. Such agents have `apply_patch` for changes, which needs whole lines. */
function inShell(deed: Exclude<ScenarioDeed, { do: 'call' | 'run' }>, conversation: ModelConversation): string {
  if (deed.do === 'read') return `cat ${quoted(deed.file)}`;
  const lines = (mark: string, text: string) =>
    text
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => `${mark}${line}\n`)
      .join('');
  const change =
    deed.do === 'edit'
      ? `*** Update File: ${deed.file}\n@@\n${lines('-', deed.from)}${lines('+', deed.to)}`
      : `*** Add File: ${deed.file}\n${lines('+', filledText(deed.text, conversation))}`;
  return `apply_patch <<'END_OF_PATCH'\n*** Begin Patch\n${change}*** End Patch\nEND_OF_PATCH`;
}

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

function namedCall(name: string, given: ToolArguments, { tools, results }: ModelConversation, source: string): Call {
  const tool = toolNamed(name, tools);
  if (tool) return { kind: 'call', tool, arguments: given };
  const inCode = tools.find((candidate) => candidate.inCode)?.inCode;
  if (inCode) return { kind: 'call', tool: { ...UNSEEN, name: name.replaceAll('.', '__'), inCode }, arguments: given };
  const lookUp = tools.find((candidate) => isLookUp(candidate.name));
  const wasLookedUp = results.some((result) => result.tool === lookUp?.name && result.text.includes(bareName(name)));
  const byName = tools.find((candidate) => candidate.name === BY_NAME);
  if (wasLookedUp && byName) return { kind: 'call', tool: byName, arguments: { name: fullName(name, source), arguments: given } };
  if (!lookUp || wasLookedUp) throw new ScenarioFault(`no tool is called ${name}: ${namesOf(tools)}`);
  return { kind: 'call', tool: lookUp, arguments: { query: `select:${fullName(name, source)}`, max_results: 5 } };
}

/** Where what was found stays out of the list of tools, it is called by this one. */
const BY_NAME = 'tool_call';

/** A program finds more than the model is told of. */
const UNSEEN = { about: '', schema: {} } as const;

/** Whether the agent has the tool, directly or after a lookup. */
export function isOffered(name: string, { tools }: ModelConversation, source: string): boolean {
  if (toolNamed(name, tools) || tools.some(({ inCode }) => inCode)) return true;
  return tools.some((tool) => isLookUp(tool.name)) && new RegExp(`mcp__[\\w-]+?__${literal(bareName(name))}\\b`).test(source);
}

/** Finds a tool by `tool` or `server.tool`. Agents prefix the tool with the server's name, each in its own way. */
function toolNamed(name: string, tools: readonly OfferedTool[]): OfferedTool | undefined {
  const { server, tool } = serverAndTool(name);
  const ofServer = new RegExp(`^(mcp__?)?${literal(server ?? 'fleet')}(__|_|-)${literal(tool)}$`);
  const ofAny = new RegExp(`(__|_|-)${literal(tool)}$`);
  const found = tools.find((candidate) => ofServer.test(wholeName(candidate)));
  if (found || server !== undefined) return found;
  const others = tools.filter((candidate) => ofAny.test(wholeName(candidate)));
  return tools.find((candidate) => wholeName(candidate) === tool) ?? (others.length === 1 ? others[0] : undefined);
}

const literal = (text: string): string => text.replaceAll(/[^\w]/g, String.raw`\$&`);

/** The full name of a tool as the agent writes it somewhere in the request. */
function fullName(name: string, source: string): string {
  const { server, tool } = serverAndTool(name);
  const known = source.match(/mcp__[\w-]+/g) ?? [];
  const ofFleet = `mcp__${server ?? 'fleet'}__${tool}`;
  return known.find((word) => word === ofFleet) ?? known.find((word) => word.endsWith(`__${tool}`)) ?? ofFleet;
}

function serverAndTool(name: string): { readonly server?: string | undefined; readonly tool: string } {
  const [, server, tool] = /^([^.]+)\.(.+)$/.exec(name) ?? [];
  return tool === undefined ? { tool: name } : { server, tool };
}

const bareName = (name: string): string => serverAndTool(name).tool;

const wholeName = ({ name, namespace }: OfferedTool): string =>
  namespace === undefined ? name : `${namespace.replace(/__$/, '')}__${name}`;

const namesOf = (tools: readonly OfferedTool[]): string => tools.map((tool) => wholeName(tool)).join(', ');

/** Fills in `{asked}`, the last text of a person, and `{result}` or `{result /PATTERN/}`, results of tool calls. */
export function filledText(text: string, { asked, results }: Pick<ModelConversation, 'asked' | 'results'>): string {
  return text
    .replaceAll(/\{result \/((?:[^/\\]|\\.)+)\/\}/g, (_, pattern: string) => matchIn(results, pattern))
    .replaceAll('{result}', () => results.at(-1)?.text ?? '')
    .replaceAll('{asked}', () => asked);
}

/** The first match in the results, oldest first, or its group if the pattern has one. */
function matchIn(results: readonly ToolResult[], pattern: string): string {
  const found = new RegExp(pattern).exec(results.map(({ text }) => text).join('\n'));
  if (!found) throw new ScenarioFault(`no result matches /${pattern}/`);
  return found[1] ?? found[0];
}

/** Fills in every text among the arguments. */
function filled(given: ToolArguments, conversation: ModelConversation): ToolArguments {
  const inside = (value: unknown): unknown => {
    if (typeof value === 'string') return filledText(value, conversation);
    if (Array.isArray(value)) return value.map((item) => inside(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inside(item)]));
  };
  return inside(given) as ToolArguments;
}
