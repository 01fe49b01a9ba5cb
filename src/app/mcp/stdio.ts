import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { STANDINGS, type Standing } from '../../domain/authority.ts';
import { makeUlids } from '../../platform/ids.ts';
import type { CliEnv, Io } from '../../surfaces/cli/deps.ts';
import { mcpServer } from '../../surfaces/mcp/server.ts';
import { toolSetCalled } from '../../surfaces/mcp/tool-sets.ts';
import { VERSION } from '../version.ts';
import { wakingCall } from './waking-call.ts';

/** Speaks MCP until the client closes our input. Standard output carries nothing but the protocol. */
export async function serveOverStdio(io: Io, set: string): Promise<number> {
  const log = (event: string, fields: Record<string, unknown>) => void io.err(`fleet mcp: ${event} ${JSON.stringify(fields)}\n`);
  const way = wakingCall(io, (said) => void io.err(`fleet mcp: ${said}\n`));
  const needs = { version: VERSION, now: io.now, elapsed: io.elapsed, id: makeUlids(io.now), log };
  const visit = { call: way.call, standing: standingIn(io.env), set: toolSetCalled(set) };
  const ended = Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close'), once(process.stdout, 'error')]);
  const served = serveStdio(() => mcpServer(visit, needs), {
    onerror: ({ message }) => log('protocol', { message }),
  });
  await ended;
  await served.close();
  await way.close();
  return 0;
}

/** Of a remote fleet its token says what it may do; it decides itself what it lets us. Of our own we are the owner. */
function standingIn(env: CliEnv): Standing {
  if (!env['FLEET_URL']) return 'admin';
  try {
    const payload = Buffer.from(env['FLEET_TOKEN']?.split('.')[1] ?? '', 'base64url').toString('utf8');
    const { role } = JSON.parse(payload) as { role?: unknown };
    return STANDINGS.find((standing) => standing === role) ?? 'admin';
  } catch {
    return 'admin';
  }
}
