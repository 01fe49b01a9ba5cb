import type { Arguments, Conversation, OfferedTool, Reply, ToolResult } from './conversation.ts';

/** What a model does: one step for each of its answers, and the last is what it says at the end. */
export type Script = readonly Step[];

export type Step = CallStep | { readonly say: string };

interface CallStep {
  /** The tool's name, or its end: agents put the name of the server before it, each in its own way. */
  readonly call: string;
  /** May be made from what earlier calls came to. */
  readonly with: Arguments | ((results: readonly ToolResult[]) => Arguments);
}

/** The script wants what the agent does not offer, or has no step left. */
export class ScriptFault extends Error {}

/**
 * The step is found from the conversation and not by counting requests, so that a request sent again, or one on the side,
 * does not put the script out of step.
 */
export function replyOf(script: Script, { tools, answers, results }: Conversation): Reply {
  const step = script[answers];
  if (!step) throw new ScriptFault(`the script has ${script.length} steps and the model is asked for answer ${answers + 1}`);
  if ('say' in step) return { kind: 'text', text: step.say };
  const given = typeof step.with === 'function' ? step.with(results) : step.with;
  return { kind: 'call', tool: toolCalled(step.call, tools), arguments: given };
}

function toolCalled(name: string, tools: readonly OfferedTool[]): OfferedTool {
  const found = tools.filter((tool) => tool.name === name || tool.name.endsWith(`__${name}`));
  if (found.length === 1 && found[0]) return found[0];
  const offered = tools.map((tool) => tool.name).join(', ');
  throw new ScriptFault(`${found.length} tools are called ${name}: ${offered}`);
}
