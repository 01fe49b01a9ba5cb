import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import type { Call } from '../../contract/call.ts';
import type { Standing } from '../../domain/authority.ts';
import { answerOf } from './answer.ts';
import { offerPrompts } from './prompts.ts';
import { offerResources } from './resources.ts';
import { annotationsOf, type Progress, type ToolContext } from './tool.ts';
import { TOOL_SETS, type ToolSet, type ToolSetName, toolsFor } from './tool-sets.ts';

/** What an MCP server needs of the house besides the way in. */
export interface McpDeps {
  readonly version: string;
  now(): number;
  elapsed(): number;
  id(): string;
  log(event: string, fields: Record<string, unknown>): void;
}

/** Who speaks, through which way in, and what it came for. */
export interface Visit {
  readonly call: Call;
  readonly standing: Standing;
  readonly set: ToolSetName;
}

/** One server for one client: it offers what its standing may call and nothing else. */
export function mcpServer({ call, standing, set }: Visit, needs: McpDeps): McpServer {
  const { instructions, hasPrompts }: ToolSet = TOOL_SETS[set];
  const server = new McpServer({ name: 'fleet', title: 'Fleet', version: needs.version }, { instructions });
  for (const tool of toolsFor(set, standing))
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.about,
        inputSchema: tool.input,
        outputSchema: tool.output,
        annotations: annotationsOf(tool),
      },
      (input, context) => answerOf(tool, input, askedOf(call, context, needs), needs),
    );
  offerResources(server, { call, standing });
  if (hasPrompts) offerPrompts(server);
  return server;
}

function askedOf(call: Call, { mcpReq }: ServerContext, { now, elapsed }: McpDeps): ToolContext {
  const token = mcpReq._meta?.progressToken;
  const progress = async (said: Progress) =>
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken: token, ...said } });
  return { call, now, elapsed, signal: mcpReq.signal, ...(token === undefined ? {} : { progress }) };
}
