import { join, resolve } from 'node:path';
import type { Io } from '../../surfaces/cli/surroundings.ts';
import { lineReader } from './line-reader.ts';
import { askEngine } from './run-engine.ts';
import { addressLink, type Link, type Message, messagesIn, programLink, type StartedServer } from './server-link.ts';

export interface ServerWaits {
  /** For the engine to say what to start. */
  readonly engineMs: number;
  /** For the server to answer what every client asks first. Programs give up on one after thirty seconds. */
  readonly answerMs: number;
}

const WAITS: ServerWaits = { engineMs: 10_000, answerMs: 25_000 };
const PAUSE_MS = 250;
const TELL_MS = 5_000;
/** A server that leaves one of these open would keep its agent from beginning. */
const FIRST_ASKED = ['initialize', 'server/discover', 'tools/list', 'ping'];

/**
 * One server of the project, for the agent of a run. The engine says what it is, with its secrets, and messages pass both
 * ways as they are. A server that cannot be started, ends, or stays silent is one without tools from then on, and the task says so.
 */
export async function bridgeToServer(
  io: Io,
  { directory: given, name }: { readonly directory: string; readonly name: string },
  waits: ServerWaits = WAITS,
): Promise<number> {
  const directory = resolve(io.cwd, given);
  const home = io.env['FLEET_HOME'] || join(directory, '..', '..');
  const files = { live: join(home, 'up.json'), token: join(directory, 'mcp-token') };
  const path = `/mcp/run/server?name=${encodeURIComponent(name)}`;
  const open = new Map<string | number, { readonly message: Message; readonly timer?: NodeJS.Timeout }>();
  const write = (message: object) => void io.out(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let secrets: readonly string[] = [];
  let broken: string | undefined;
  let isOver = false;
  let told: Promise<unknown> = Promise.resolve();

  const settle = (id: string | number): Message | undefined => {
    const found = open.get(id);
    clearTimeout(found?.timer);
    open.delete(id);
    return found?.message;
  };
  const gone = (why: string): void => {
    if (broken !== undefined || isOver) return;
    broken = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), why);
    for (const id of [...open.keys()]) write(answerInstead(settle(id) ?? { id }, name, broken));
    void io.err(`fleet mcp: server ${name}: ${broken}\n`);
    told = askEngine(files, path, { body: { trouble: broken }, signal: AbortSignal.timeout(TELL_MS) }).catch(() => undefined);
  };
  const fromServer = (message: Message): void => {
    if (broken !== undefined) return;
    const { id, method } = message;
    // What nobody asked, or somebody no longer waits for, is nothing to the agent.
    if (method === undefined && (id === undefined || id === null || !settle(id))) return;
    write(message);
  };
  const started = whatToStart(io, files, path, waits.engineMs).then((server): Link => {
    secrets = [...Object.values(server.env ?? {}), ...Object.values(server.headers ?? {})].filter(({ length }) => length > 3);
    const ends = { take: fromServer, gone };
    return server.command === undefined ? addressLink(server, ends) : programLink(server, io.env, ends);
  });
  started.catch(({ message }: Error) => gone(message));

  const fromAgent = (message: Message): void => {
    const { id, method } = message;
    if (broken !== undefined) {
      if (method !== undefined && id !== undefined) write(answerInstead(message, name, broken));
      return;
    }
    if (method !== undefined && id !== undefined && id !== null) {
      const seconds = waits.answerMs / 1_000;
      const isFirst = FIRST_ASKED.includes(method);
      const timer = isFirst ? setTimeout(() => gone(`no answer to ${method} in ${seconds} s`), waits.answerMs) : undefined;
      open.set(id, timer ? { message, timer } : { message });
    }
    started.then(
      (link) => link.send(message),
      () => undefined,
    );
  };
  const take = (line: string) => messagesIn(JSON.parse(line)).forEach(fromAgent);
  try {
    await lineReader(io.stdin(), take, (why) => write({ id: null, error: { code: -32_700, message: why } }));
  } finally {
    isOver = true;
    for (const id of [...open.keys()]) settle(id);
    await started.then((link) => link.close()).catch(() => undefined);
    await told;
  }
  return 0;
}

async function whatToStart(io: Io, files: { live: string; token: string }, path: string, ms: number): Promise<StartedServer> {
  const signal = AbortSignal.timeout(ms);
  for (;;) {
    try {
      const { status, body } = await askEngine(files, path, { signal });
      if (status === 200) return body as StartedServer;
      if (status < 500 && status !== 429) throw new Refused(String(body['detail'] ?? `Fleet answered ${status}`));
    } catch (error) {
      if (error instanceof Refused) throw error;
    }
    if (signal.aborted) throw new Error(`Fleet did not say in ${ms / 1_000} s what it is`);
    await io.pause(PAUSE_MS);
  }
}

class Refused extends Error {}

/** What a server without tools would say. */
function answerInstead({ id, method, params }: Message, name: string, why: string): object {
  switch (method) {
    case 'initialize': {
      const protocolVersion = params?.protocolVersion ?? '2025-06-18';
      return { id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version: '0' } } };
    }
    case 'tools/list':
      return { id, result: { tools: [] } };
    case 'ping':
      return { id, result: {} };
    default:
      return { id, error: { code: -32_000, message: `MCP server ${name} is not there: ${why}` } };
  }
}
