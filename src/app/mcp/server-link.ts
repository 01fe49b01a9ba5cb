import { spawn } from 'node:child_process';
import { closeInherited } from '../../platform/descriptors.ts';
import { lineReader } from './line-reader.ts';

/** What the engine says of a server, with the values of its references. */
export interface StartedServer {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface ServerMessage {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string; readonly cursor?: unknown };
  readonly result?: { readonly protocolVersion?: string };
}

export interface Ends {
  /** Takes each message of the server. */
  take(message: ServerMessage): void;
  /** The server is gone, or never was there. */
  gone(why: string): void;
}

export interface ServerLink {
  send(message: ServerMessage): void;
  close(): Promise<void>;
}

const LAST_WORDS = 500;
/** How long it may take to end when its input has ended, and once more when it was told to. */
const PATIENCE_MS = 2_000;

export function programLink(server: StartedServer, env: Readonly<Record<string, string | undefined>>, ends: Ends): ServerLink {
  const { command = '', args = [], cwd } = server;
  closeInherited();
  const child = spawn(command, args, { env: { ...env, ...server.env }, cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (words: string) => {
    said = (said + words).slice(-LAST_WORDS);
  });
  child.stdin.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => {
    child.on('error', ({ message }) => {
      ends.gone(`${command} cannot be started: ${message}`);
      resolve();
    });
    child.on('close', (code, signal) => {
      ends.gone(`${command} ended with ${signal ?? `exit code ${code}`}${said.trim() === '' ? '' : `: ${said.trim()}`}`);
      resolve();
    });
  });
  const take = (line: string): void => {
    for (const message of messagesIn(JSON.parse(line))) ends.take(message);
  };
  // A line that is no message is no reason to stop: programs print a greeting.
  lineReader(child.stdout, take, () => undefined).catch(({ message }: Error) => ends.gone(message));
  return {
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    close: async () => {
      child.stdin.end();
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        const timer = setTimeout(() => child.kill(signal), signal === 'SIGTERM' ? PATIENCE_MS : 2 * PATIENCE_MS);
        void ended.then(() => clearTimeout(timer));
      }
      await ended;
    },
  };
}

/** MCP over HTTP: each message is a request of its own, and what is answered to it comes back with it. */
export function addressLink({ url = '', headers = {} }: StartedServer, ends: Ends): ServerLink {
  const stop = new AbortController();
  let own: Record<string, string> = {};
  const post = async (message: ServerMessage): Promise<void> => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, ...own, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(message),
      signal: stop.signal,
    });
    const session = answer.headers.get('mcp-session-id');
    if (session !== null) own = { ...own, 'mcp-session-id': session };
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
    const take = (one: ServerMessage): void => {
      if (message.method === 'initialize' && one.result?.protocolVersion)
        own = { ...own, 'mcp-protocol-version': one.result.protocolVersion };
      ends.take(one);
    };
    if (answer.headers.get('content-type')?.startsWith('text/event-stream')) await eventsIn(answer, take);
    else {
      const text = await answer.text();
      if (text.trim() !== '') for (const one of messagesIn(JSON.parse(text))) take(one);
    }
  };
  return {
    send: (message) => {
      post(message).catch((error: Error) => {
        if (stop.signal.aborted) return;
        const why = `${new URL(url).origin}: ${error.cause instanceof Error ? error.cause.message : error.message}`;
        if (message.method === 'initialize' || message.id === undefined) ends.gone(why);
        else ends.take({ id: message.id, error: { code: -32_000, message: why } } as ServerMessage);
      });
    },
    close: async () => {
      stop.abort();
      if (!own['mcp-session-id']) return;
      const signal = AbortSignal.timeout(PATIENCE_MS);
      await fetch(url, { method: 'DELETE', headers: { ...headers, ...own }, signal }).catch(() => undefined);
    },
  };
}

async function eventsIn(answer: Response, take: (message: ServerMessage) => void): Promise<void> {
  let data: string[] = [];
  let rest = '';
  const reader = new TextDecoder();
  for await (const chunk of answer.body ?? []) {
    const lines = (rest + reader.decode(chunk, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice('data:'.length).trimStart());
      if (line !== '' || data.length === 0) continue;
      for (const one of messagesIn(JSON.parse(data.join('\n')))) take(one);
      data = [];
    }
  }
}

export const messagesIn = (value: unknown): ServerMessage[] =>
  (Array.isArray(value) ? value : [value]).filter((one): one is ServerMessage => typeof one === 'object' && one !== null);
