import { createHash, randomBytes } from 'node:crypto';
import { basename, join, resolve } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import type { Io } from '../../surfaces/cli/deps.ts';
import { AGENTS_DOOR } from '../home.ts';
import { lineReader } from './line-reader.ts';
import { postTo } from './post.ts';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly requestId?: string | number };
}

/**
 * The MCP server of an agent's run: every request goes to the engine of the home and every answer comes from there. While
 * the engine is away, requests wait and are sent again under the same key, so each is carried out once. It knows nothing
 * of what it carries and loads neither schemas nor a database, because one runs beside every agent.
 */
export async function bridge(io: Io, given: string): Promise<number> {
  const directory = resolve(io.cwd, given);
  const home = io.env['FLEET_HOME'] || join(directory, '..', '..');
  const { post, close } = postTo({ live: join(home, AGENTS_DOOR), token: join(directory, 'mcp-token') });
  // The ids of requests begin again with every bridge of a run.
  const keyOf = (id: string | number) => `${basename(directory)}/${epoch}/${typeof id === 'number' ? id : shortened(id)}`;
  const epoch = randomBytes(6).toString('hex');
  const open = new Map<string | number, AbortController>();
  const write = (message: object) => void io.out(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

  const carry = async (id: string | number, line: string): Promise<void> => {
    const stop = new AbortController();
    open.set(id, stop);
    let pauseMs = FIRST_PAUSE_MS;
    while (!stop.signal.aborted) {
      const came = await post({ line, id, key: keyOf(id) }, { signal: stop.signal, pass: (text) => void io.out(`${text}\n`) });
      if (came.kind === 'refused') write({ id, error: { code: -32_000, message: came.why } });
      if (came.kind !== 'away') break;
      if (pauseMs === FIRST_PAUSE_MS) void io.err(`fleet mcp: Fleet does not answer (${came.why}); request ${id} waits\n`);
      await Promise.race([io.pause(pauseMs), aborted(stop.signal)]);
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    }
    open.delete(id);
  };

  const take = (line: string): void => {
    for (const message of messagesIn(line)) {
      const { id, method, params } = message;
      if (method === undefined) continue;
      if (id === undefined) {
        // Nothing but a cancellation is news to an engine that remembers no connection.
        if (method === 'notifications/cancelled') open.get(params?.requestId ?? '')?.abort();
      } else if (method === 'ping') write({ id, result: {} });
      else void carry(id, JSON.stringify(message));
    }
  };
  try {
    await lineReader(io.stdin(), take, (why) => write({ id: null, error: { code: -32_700, message: why } }));
  } finally {
    for (const stop of open.values()) stop.abort();
    close();
  }
  return 0;
}

export function directoryOf({ env }: Io, given: string | undefined): string {
  const directory = given ?? env['FLEET_RUN_DIR'];
  if (directory) return directory;
  throw new Fault('invalid', 'no run: FLEET_RUN_DIR is not set and no directory was given', {
    hint: '`fleet mcp --run` is started by the agent of a run; for yourself use `fleet mcp`',
  });
}

/** A client may choose any text, and the number 1 is not the text "1". */
const shortened = (id: string): string => createHash('sha256').update(id).digest('base64url');

/** Clients of one revision send several at once. */
function messagesIn(line: string): Message[] {
  const value = JSON.parse(line) as unknown;
  return (Array.isArray(value) ? value : [value]).filter((one): one is Message => typeof one === 'object' && one !== null);
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolved) => {
    signal.addEventListener('abort', () => resolved(), { once: true });
  });
