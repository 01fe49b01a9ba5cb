import { posix } from 'node:path';
import { isRecord } from '../agent-event.ts';
import type { AgentEvent } from '../executor.ts';
import { scriptIn } from './commands.ts';
import { type CodexFields, fieldsIn, listIn, nameIn, textIn } from './fields.ts';

const DETAIL = 500;

interface Tool {
  readonly name: string;
  readonly detail: string;
}

/** Items that are tool calls, by their type. */
const TOOLS: Readonly<Record<string, (item: CodexFields) => Tool>> = {
  commandExecution: (item) => ({ name: 'Bash', detail: shown(textIn(item, 'command') ?? '') }),
  fileChange: (item) => ({ name: 'Edit', detail: pathsIn(item).join(' ') }),
  mcpToolCall: (item) => ({
    name: `mcp__${textIn(item, 'server') ?? ''}__${textIn(item, 'tool') ?? ''}`,
    detail: JSON.stringify(item['arguments'] ?? {}),
  }),
  dynamicToolCall: (item) => ({ name: textIn(item, 'tool') ?? '', detail: JSON.stringify(item['arguments'] ?? {}) }),
  collabAgentToolCall: (item) => ({ name: textIn(item, 'tool') ?? '', detail: textIn(item, 'prompt') ?? '' }),
  webSearch: (item) => ({ name: 'WebSearch', detail: textIn(item, 'query') ?? '' }),
};

const shown = (command: string): string => scriptIn(command) ?? command;

export function begunIn(item: CodexFields): readonly AgentEvent[] {
  const [id, type] = [nameIn(item, 'id'), textIn(item, 'type') ?? ''];
  if (id === undefined || !Object.hasOwn(TOOLS, type)) return [];
  const { name, detail } = TOOLS[type]?.(item) ?? { name: type, detail: '' };
  return [{ type: 'tool', id, name: name.slice(0, DETAIL), ...(detail === '' ? {} : { detail: detail.slice(0, DETAIL) }) }];
}

export function doneIn(item: CodexFields): readonly AgentEvent[] {
  const [id, type] = [nameIn(item, 'id'), textIn(item, 'type') ?? ''];
  if (type === 'agentMessage') return spoken('said', textIn(item, 'text'));
  if (type === 'reasoning')
    return spoken('thought', [...listIn(item, 'summary'), ...listIn(item, 'content')].filter(isText).join('\n'));
  if (type === 'plan') return spoken('thought', textIn(item, 'text'));
  return id === undefined || !Object.hasOwn(TOOLS, type) ? [] : [{ type: 'tool-done', id, ok: isDone(item) }];
}

const spoken = (type: 'said' | 'thought', text = ''): readonly AgentEvent[] => (text === '' ? [] : [{ type, text }]);

const isText = (value: unknown): value is string => typeof value === 'string';

/** Whether an item succeeded. Without a status, its end is enough. */
const isDone = (item: CodexFields): boolean =>
  (textIn(item, 'status') ?? 'completed') === 'completed' && (item['exitCode'] ?? 0) === 0;

function pathsIn(item: CodexFields): readonly string[] {
  return listIn(item, 'changes').flatMap((change) => {
    if (!isRecord(change)) return [];
    return [textIn(change, 'path') ?? '', textIn(fieldsIn(change, 'kind'), 'move_path') ?? []].flat();
  });
}

/** Whether every path of a patch is in the directory. Codex writes an accepted patch to any path. */
export function staysIn(directory: string, item: CodexFields): boolean {
  const paths = pathsIn(item);
  const inside = `${posix.resolve(directory)}/`;
  return paths.length > 0 && paths.every((path) => path !== '' && posix.resolve(directory, path).startsWith(inside));
}
