import { realpathSync } from 'node:fs';
import type { McpServer } from '../../domain/agent/executor.ts';
import { toolsOf } from '../../domain/agent/tools.ts';
import { LIMITS } from '../../domain/limits.ts';
import { attachedServers, type DeclaredServer, type DeclaredServers, resolvedServer } from '../../domain/project/mcp-servers.ts';
import type { Task } from '../../domain/task/task.ts';
import { inDirectory } from '../../platform/agent-path.ts';
import { textSafelySync } from '../../platform/read-safely-sync.ts';
import { projects } from '../../store/records/projects.ts';
import type { FleetServices } from '../services.ts';
import { mcpServer } from './attachment.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Servers of its project that a run of the task gets, as they are declared. */
export async function serversFor({ store }: Pick<FleetServices, 'store'>, task: Task): Promise<DeclaredServers> {
  const project = task.projectId === undefined ? undefined : (await projects.get(store, task.projectId))?.body;
  return attachedServers(project?.mcpServers ?? {}, { tools: toolsOf(task), contextMode: task.contextMode === 'on' });
}

/**
 * The same as its agent is told of them: each is a bridge of ours that asks the engine for the rest. So no secret stands in
 * a file, and a server that is broken keeps no agent waiting.
 */
export const bridgesOf = (servers: DeclaredServers, home: string, runDirectory: string): Readonly<Record<string, McpServer>> => {
  const { command, args, env } = mcpServer(home, runDirectory);
  return Object.fromEntries(
    Object.keys(servers).map((name) => [name, { command, args: [...args, '--server', name], env }] as const),
  );
};

/** With what its references stand for on this machine. */
export const resolvedHere = (server: DeclaredServer, env: Env): DeclaredServer =>
  resolvedServer(server, (kind, target) => (kind === 'env' ? env[target] : secretIn(target)));

function secretIn(path: string): string | undefined {
  try {
    // Secrets are often laid down as links.
    const real = realpathSync(path);
    return textSafelySync(inDirectory(real), LIMITS.textFieldBytes.value)?.replace(/\r?\n$/, '');
  } catch {
    return undefined;
  }
}
