import { join, resolve } from 'node:path';
import type { Io } from '../../surfaces/cli/deps.ts';
import { AGENTS_DOOR } from '../home.ts';
import { lineReader } from './line-reader.ts';
import { ListedTools } from './listed-tools.ts';
import { askEngine } from './run-engine.ts';
import { addressLink, messagesIn, programLink, type ServerLink, type ServerMessage, type StartedServer } from './server-link.ts';

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
  const files = { live: join(home, AGENTS_DOOR), token: join(directory, 'mcp-token') };
  const bridge = new ServerBridge(io, { files, name }, waits);
  try {
    await lineReader(
      io.stdin(),
      (line) => messagesIn(JSON.parse(line)).forEach((message) => bridge.fromAgent(message)),
      (why) => bridge.say({ id: null, error: { code: -32_700, message: why } }),
    );
  } finally {
    await bridge.close();
  }
  return 0;
}

interface Served {
  readonly files: { readonly live: string; readonly token: string };
  readonly name: string;
}

class ServerBridge {
  readonly #io: Io;
  readonly #served: Served;
  readonly #waits: ServerWaits;
  readonly #path: string;
  /** Requests of the agent that the server has not answered yet. */
  readonly #open = new Map<string | number, { readonly message: ServerMessage; readonly timer?: NodeJS.Timeout }>();
  readonly #started: Promise<ServerLink>;
  readonly #listed = new ListedTools();
  #secrets: readonly string[] = [];
  #broken: string | undefined;
  #isOver = false;
  #told: Promise<unknown> = Promise.resolve();

  constructor(io: Io, served: Served, waits: ServerWaits) {
    this.#io = io;
    this.#served = served;
    this.#waits = waits;
    this.#path = `/mcp/run/server?name=${encodeURIComponent(served.name)}`;
    this.#started = this.#start();
    this.#started.catch(({ message }: Error) => this.#gone(message));
  }

  say(message: object): void {
    void this.#io.out(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  fromAgent(message: ServerMessage): void {
    const { id, method } = message;
    if (this.#broken !== undefined) {
      if (method !== undefined && id !== undefined) this.say(answerInstead(message, this.#served.name, this.#broken));
      return;
    }
    if (method !== undefined && id !== undefined && id !== null) this.#expect(id, method, message);
    this.#started.then(
      (link) => link.send(message),
      () => undefined,
    );
  }

  async close(): Promise<void> {
    this.#isOver = true;
    for (const id of [...this.#open.keys()]) this.#settle(id);
    await this.#started.then((link) => link.close()).catch(() => undefined);
    await this.#told;
  }

  async #start(): Promise<ServerLink> {
    const server = await whatToStart(this.#io, this.#served.files, this.#path, this.#waits.engineMs);
    this.#secrets = [...Object.values(server.env ?? {}), ...Object.values(server.headers ?? {})].filter(
      ({ length }) => length > 3,
    );
    const ends = { take: (message: ServerMessage) => this.#fromServer(message), gone: (why: string) => this.#gone(why) };
    return server.command === undefined ? addressLink(server, ends) : programLink(server, this.#io.env, ends);
  }

  #fromServer(message: ServerMessage): void {
    if (this.#broken !== undefined) return;
    const { id, method } = message;
    // What nobody asked, or somebody no longer waits for, is nothing to the agent.
    const asked = method === undefined && id !== undefined && id !== null ? this.#settle(id) : undefined;
    if (method === undefined && !asked) return;
    if (asked?.method === 'tools/list') this.#offered(message, asked);
    this.say(message);
  }

  /** Fleet compares what the server says of itself with what it said to the run before. */
  #offered({ result }: ServerMessage, { params }: ServerMessage): void {
    const tools = this.#listed.take(result, params?.cursor === undefined);
    if (tools) this.#tell({ tools });
  }

  #tell(body: object): void {
    const signal = AbortSignal.timeout(TELL_MS);
    const { files } = this.#served;
    this.#told = Promise.all([this.#told, askEngine(files, this.#path, { body, signal }).catch(() => undefined)]);
  }

  #expect(id: string | number, method: string, message: ServerMessage): void {
    const { answerMs } = this.#waits;
    const isFirst = FIRST_ASKED.includes(method);
    const late = () => this.#gone(`no answer to ${method} in ${answerMs / 1_000} s`);
    this.#open.set(id, isFirst ? { message, timer: setTimeout(late, answerMs) } : { message });
  }

  #settle(id: string | number): ServerMessage | undefined {
    const found = this.#open.get(id);
    clearTimeout(found?.timer);
    this.#open.delete(id);
    return found?.message;
  }

  #gone(why: string): void {
    if (this.#broken !== undefined || this.#isOver) return;
    const { name } = this.#served;
    const trouble = this.#secrets.reduce((text, secret) => text.replaceAll(secret, '***'), why);
    this.#broken = trouble;
    for (const id of [...this.#open.keys()]) this.say(answerInstead(this.#settle(id) ?? { id }, name, trouble));
    void this.#io.err(`fleet mcp: server ${name}: ${trouble}\n`);
    this.#tell({ trouble });
  }
}

async function whatToStart(io: Io, files: { live: string; token: string }, path: string, ms: number): Promise<StartedServer> {
  const signal = AbortSignal.timeout(ms);
  for (;;) {
    try {
      const { status, body } = await askEngine(files, path, { signal });
      if (status === 200) return body as StartedServer;
      const { detail } = body;
      if (status < 500 && status !== 429) throw new Refused(typeof detail === 'string' ? detail : `Fleet answered ${status}`);
    } catch (error) {
      if (error instanceof Refused) throw error;
    }
    if (signal.aborted) throw new Error(`Fleet did not say in ${ms / 1_000} s what it is`);
    await io.pause(PAUSE_MS);
  }
}

class Refused extends Error {}

/** What a server without tools would say. */
function answerInstead({ id, method, params }: ServerMessage, name: string, why: string): object {
  switch (method) {
    case 'initialize': {
      const protocolVersion = params?.protocolVersion ?? '2025-06-18';
      return { id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version: '0' } } };
    }
    case 'tools/list':
      return { id, result: { tools: [] } };
    case 'ping':
      return { id, result: {} };
    case undefined:
    default:
      return { id, error: { code: -32_000, message: `MCP server ${name} is not there: ${why}` } };
  }
}
