import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { routes } from 'virtual:routes';
import type { Call } from '../../contract/call.ts';
import { Fault } from '../../domain/fault.ts';
import { hasCode } from '../../platform/files.ts';
import type { Connection, Env } from '../../surfaces/cli/surroundings.ts';
import { clientCall } from '../../wire/client.ts';
import { mcpTokenFile } from '../mcp/token-file.ts';
import { liveFile } from '../serve/live-file.ts';
import { NobodyThere, sendTo } from './send.ts';

/** The run inside of which a command was typed. */
export interface RunHere {
  readonly live: string;
  readonly token: string;
}

/** A home that is named and is not that of the run is meant: whoever tests a fleet inside of a run is its owner. */
export async function runHere(env: Env, cwd: string): Promise<RunHere | undefined> {
  const directory = env['FLEET_RUN_DIR'];
  if (!directory) return undefined;
  const home = dirname(dirname(resolve(cwd, directory)));
  const named = env['FLEET_HOME'];
  if (named && resolve(cwd, named) !== home) return undefined;
  const token = await readFile(mcpTokenFile(resolve(cwd, directory)), 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  });
  return token === undefined ? undefined : { live: join(home, 'up.json'), token: token.trim() };
}

/** An agent that types `fleet` may do what its run may do, and that is asked of the server alone. */
export async function ofRun({ live: file, token }: RunHere): Promise<Connection> {
  const live = await liveFile(file);
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
