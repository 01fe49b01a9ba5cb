import { dirname, join } from 'node:path';
import type { McpServer } from '../../domain/agent/executor.ts';
import type { Run } from '../../domain/run/run.ts';
import type { FileOp } from '../../platform/file-ops.ts';
import type { FleetServices } from '../services.ts';
import { mcpTokenFile } from './token-file.ts';

/** In a run directory. */
export const mcpConfigFile = (runDirectory: string): string => join(runDirectory, 'mcp.json');

/**
 * What attaches Fleet's MCP server, and those of the project, to the agent of one run: a token that is as good as the run is alive, and a file that
 * says what to start. The bridge finds its run by its argument, because some agents hand on no environment.
 */
export async function mcpAttachment(
  house: Pick<FleetServices, 'signer' | 'paths'>,
  run: Run,
  { runDirectory, servers }: { readonly runDirectory: string; readonly servers: Readonly<Record<string, McpServer>> },
): Promise<{ readonly steps: readonly FileOp[]; readonly env: Readonly<Record<string, string>> }> {
  const token = await (await house.signer()).signRun(run);
  const config = mcpConfigFile(runDirectory);
  const below = dirname(runDirectory);
  return {
    steps: [
      { lay: 'directory', path: runDirectory, below },
      { lay: 'file', path: mcpTokenFile(runDirectory), below, text: `${token}\n` },
      {
        lay: 'file',
        path: config,
        below,
        text: `${JSON.stringify({ mcpServers: { fleet: mcpServer(house.paths.path, runDirectory), ...servers } })}\n`,
      },
    ],
    env: { FLEET_RUN_DIR: runDirectory, FLEET_MCP_CONFIG: config },
  };
}

export const mcpServer = (home: string, runDirectory: string): McpServer => ({
  command: process.execPath,
  args: [...process.execArgv, process.argv[1] ?? '', 'mcp', '--run', runDirectory],
  env: { FLEET_HOME: home, FLEET_RUN_DIR: runDirectory },
});
