import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { routes } from 'virtual:routes';
import type { Call } from '../../contract/call.ts';
import { Fault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import { inDirectory } from '../../platform/agent-path.ts';
import { textSafelySync } from '../../platform/read-safely-sync.ts';
import type { CliConnection, CliEnv } from '../../surfaces/cli/deps.ts';
import { clientCall } from '../../wire/client.ts';
import { AGENTS_DOOR } from '../home.ts';
import { mcpTokenFile } from '../mcp/token-file.ts';
import { liveFile } from '../serve/live-file.ts';
import { NobodyThere, sendTo } from './send.ts';
import { said, surroundingRun } from './surrounding-run.ts';

/** The run inside of which a command was typed. */
export interface RunHere {
  readonly door: string;
  readonly token: string;
}

/** Without its token a run is nobody; it is never taken for the owner. */
export function runHere(env: CliEnv, cwd: string): RunHere | undefined {
  const run = surroundingRun(env, cwd);
  if (!run) return undefined;
  const token = run.directory === undefined ? undefined : tokenIn(run.directory);
  if (run.directory === undefined || token === undefined)
    throw new Fault('unauthenticated', `${said(run)}, and the token of that run is not there`, {
      hint: 'inside of a run Fleet is asked as that run: FLEET_RUN_DIR names its directory, which has the token',
    });
  return { door: join(dirname(dirname(run.directory)), AGENTS_DOOR), token };
}

function tokenIn(directory: string): string | undefined {
  const file = mcpTokenFile(directory);
  return textSafelySync(inDirectory(file), LIMITS.messageBytes.value)?.trim() || undefined;
}

/** An agent that types `fleet` may do what its run may do, and that is asked of the server alone. */
export async function ofRun({ door, token }: RunHere): Promise<CliConnection> {
  const live = await liveFile(door);
  if (!live) throw away('no server runs');
  const { send, close } = sendTo({ socket: live.socket, token });
  const wire = clientCall(routes, send);
  const call = async (...[name, input, wished]: Parameters<Call>) => {
    const isKeyed = routes[name]?.method === 'GET' || wished?.key !== undefined;
    try {
      return await wire(name, input, isKeyed ? wished : { ...wished, key: randomUUID() });
    } catch (error) {
      throw error instanceof NobodyThere ? away(error.message) : error;
    }
  };
  return { call: call as Call, close: async () => close() };
}

const away = (why: string): Fault =>
  new Fault('unavailable', `Fleet does not answer inside of this run: ${why}`, { hint: 'try again in a while' });
