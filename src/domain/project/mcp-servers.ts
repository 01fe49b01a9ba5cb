import type { z } from 'zod';
import { mayRunAll, mayWrite } from '../agent/tools.ts';
import { Fault } from '../fault.ts';
import { LIMITS } from '../limits.ts';
import type { McpServer } from './project.ts';

/** An MCP server as a project declares it: a program that speaks over its standard streams, or a URL. */
export type DeclaredServer = z.infer<typeof McpServer>;
export type DeclaredServers = Readonly<Record<string, DeclaredServer>>;

export const CONTEXT_MODE = 'context-mode';
export const INSTALL_CONTEXT_MODE = 'npm install -g context-mode';

/** A server name that every agent program accepts in its settings and in tool names. */
const USABLE_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;
const REFERENCE = /\$\{(env|file):([^}]*)\}/g;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Throws Fault('invalid') for a server no run could use. Rows of older versions may hold such servers: `attachedServers` drops them. */
export function assertServers(servers: DeclaredServers): void {
  const names = Object.keys(servers);
  if (names.length > LIMITS.mcpServers.value)
    throw new Fault('limit', `${names.length} MCP servers: a project may have ${LIMITS.mcpServers.value}`);
  for (const [name, server] of Object.entries(servers)) {
    const problem = problemOf(name, server);
    if (problem !== undefined) throw new Fault('invalid', `MCP server ${JSON.stringify(name)}: ${problem}`, { server: name });
  }
}

function problemOf(name: string, { command, args, env, url, headers }: DeclaredServer): string | undefined {
  if (name === 'fleet') return "the name is that of Fleet's own server: choose another";
  if (!USABLE_NAME.test(name)) return 'begin its name with a letter, then up to 31 letters, digits, _ or -';
  if ((command === undefined) === (url === undefined)) return 'give it either a command or a url';
  if (url !== undefined && (args ?? env)) return 'args and env belong to a command; a url has headers';
  if (command !== undefined && headers) return 'headers belong to a url; a command has args and env';
  if ([command, url, ...(args ?? [])].some((text) => text?.match(REFERENCE)))
    return 'a ${env:…} or ${file:…} reference may stand in env and headers only, because others can see arguments and addresses';
  for (const text of Object.values({ ...env, ...headers }))
    for (const [whole, kind, target = ''] of text.matchAll(REFERENCE)) {
      const isGood = kind === 'env' ? VARIABLE.test(target) && !target.startsWith('FLEET_') : target.startsWith('/');
      if (!isGood) return `${whole} refers to nothing: write \${env:NAME}, not of Fleet's own, or \${file:/WHOLE/PATH}`;
    }
  return undefined;
}

/**
 * The servers that the run of a task gets besides Fleet's. An agent that may run every command and change every file gets all.
 * A restricted agent gets those its tool list names as `mcp__NAME__*`, because a server could do what the restriction forbids.
 */
export function attachedServers(
  declared: DeclaredServers,
  { tools, contextMode }: { readonly tools: readonly string[] | undefined; readonly contextMode: boolean },
): DeclaredServers {
  const all: DeclaredServers = contextMode ? { [CONTEXT_MODE]: { command: CONTEXT_MODE }, ...declared } : declared;
  const isFree = mayRunAll(tools) && mayWrite(tools);
  return Object.fromEntries(
    Object.entries(all).filter(
      ([name, server]) => problemOf(name, server) === undefined && (isFree || tools?.includes(`mcp__${name}__*`)),
    ),
  );
}

/** Whether the tool list names the server that this tool belongs to. */
export const isServerTool = (tools: readonly string[], tool: string): boolean =>
  tools.some((word) => /^mcp__.+__\*$/.test(word) && tool.startsWith(word.slice(0, -1)));

/** The server with its references replaced by their values. Throws Fault('invalid') that names a reference, never a value. */
export function resolvedServer(
  server: DeclaredServer,
  lookUp: (kind: 'env' | 'file', target: string) => string | undefined,
): DeclaredServer {
  const filled = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [
        name,
        text.replaceAll(REFERENCE, (whole, kind: 'env' | 'file', target: string) => {
          const value = lookUp(kind, target);
          if (value !== undefined) return value;
          const why = kind === 'env' ? 'is not set where the engine runs' : 'cannot be read by the engine';
          throw new Fault('invalid', `${whole} ${why}`);
        }),
      ]),
    );
  return {
    ...server,
    ...(server.env ? { env: filled(server.env) } : {}),
    ...(server.headers ? { headers: filled(server.headers) } : {}),
  };
}
