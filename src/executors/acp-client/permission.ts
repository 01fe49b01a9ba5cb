import { hasTool, mayRun, mayWrite } from '../../domain/agent/tools.ts';
import { isServerTool } from '../../domain/project/mcp-servers.ts';
import type { AcpAgent } from './acp-agent.ts';
import { fieldsOf, type RpcId, recordsIn, reply, textIn } from './rpc.ts';
import type { OpenPermission } from './state.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Option {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
}

/** How much is kept of a request that waits for a person. */
const mostOptions = 8;
const longestOption = 100;

export const optionsIn = (params: Fields): readonly Option[] =>
  recordsIn(params['options']).flatMap(({ optionId, name, kind }) =>
    typeof optionId === 'string' ? [{ id: optionId, name: textIn(name) ?? optionId, kind: textIn(kind) ?? '' }] : [],
  );

/** Whether the tools of the job allow this call. Unknown kinds of calls are denied. */
export function isAllowed(agent: AcpAgent, tools: readonly string[], call: Fields): boolean {
  const serverTool = agent.serverToolIn?.(call);
  if (serverTool !== undefined) return serverTool.startsWith('mcp__fleet__') || isServerTool(tools, serverTool);
  switch (call['kind']) {
    case 'read':
      return hasTool(tools, 'Read');
    case 'search':
      return hasTool(tools, 'Grep') || hasTool(tools, 'Glob');
    case 'edit':
    case 'delete':
    case 'move':
      return mayWrite(tools);
    case 'execute': {
      const command = commandOf(agent, call);
      return command !== undefined && mayRun(tools, command);
    }
    case 'fetch':
      return hasTool(tools, 'WebFetch');
    case 'think':
      return true;
    default:
      return false;
  }
}

function commandOf(agent: AcpAgent, call: Fields): string | undefined {
  const { command } = fieldsOf(call['rawInput']);
  return textIn(command) ?? agent.commandIn?.(call);
}

/** The option that allows once: a permanent one could change the user's own settings, and later calls would not be seen. */
export const allowOnceOption = (options: readonly Option[]): Option | undefined =>
  options.find(({ kind }) => kind === 'allow_once');

/** An option that allows, once or, as nothing is restricted, also permanently. */
export const anyAllowOption = (options: readonly Option[]): Option | undefined =>
  allowOnceOption(options) ?? options.find(({ kind }) => kind === 'allow_always');

export const denyOption = (options: readonly Option[]): Option | undefined =>
  options.find(({ kind }) => kind === 'reject_once') ?? options.find(({ kind }) => kind === 'reject_always');

export const selectionReply = (id: RpcId, option: Pick<Option, 'id'> | undefined): string =>
  reply(id, { outcome: option ? { outcome: 'selected', optionId: option.id } : { outcome: 'cancelled' } });

/** The request as a person is asked; undefined if it has no usable option. */
export function askOf(id: RpcId, options: readonly Option[]): OpenPermission | undefined {
  const kept = options
    .filter((option) => option.id.length <= longestOption)
    .slice(0, mostOptions)
    .map((option) => ({ id: option.id, name: option.name.slice(0, longestOption) }));
  return kept.length === 0 ? undefined : { request: `ask-${id}`.slice(0, 200), id, options: kept };
}
