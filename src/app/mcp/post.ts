import { readFile } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { liveFile } from '../serve/live-file.ts';

/** One request of the agent, as it came. */
export interface Posted {
  readonly line: string;
  readonly id: string | number;
  readonly key: string;
}

export type PostAnswer =
  | { readonly kind: 'answered' }
  /** Nobody is there, or it went away before it answered: send it again. */
  | { readonly kind: 'away'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string };

interface Wish {
  readonly signal: AbortSignal;
  /** Takes each line that comes back. */
  pass(line: string): void;
}

const TRANSIENT = [429, 502, 503, 504];

/** The engine of a home, wherever it listens now: it may be another one with every request. */
export function postTo(files: { readonly live: string; readonly token: string }) {
  const agent = new Agent({ keepAlive: true });
  const post = async (posted: Posted, wish: Wish): Promise<PostAnswer> => {
    const live = await liveFile(files.live);
    if (!live) return { kind: 'away', why: `${files.live} is not there` };
    const token = (await readFile(files.token, 'utf8').catch(() => '')).trim();
    if (token === '') return { kind: 'refused', why: `${files.token} cannot be read` };
    try {
      return await answered(await sent(posted, { agent, socket: live.socket, token, signal: wish.signal }), posted.id, wish);
    } catch (error) {
      return { kind: 'away', why: error instanceof Error ? error.message : String(error) };
    }
  };
  return { post, close: () => agent.destroy() };
}

interface Target {
  readonly agent: Agent;
  readonly socket: string;
  readonly token: string;
  readonly signal: AbortSignal;
}

const sent = ({ line, key }: Posted, { agent, socket, token, signal }: Target): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const asking = request(
      {
        agent,
        socketPath: socket,
        method: 'POST',
        path: '/mcp/run',
        signal,
        headers: {
          host: 'fleet',
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(line),
          'idempotency-key': key,
        },
      },
      resolve,
    );
    asking.on('error', reject);
    asking.end(line);
  });

/** Lines are passed on as they come; the one with the id of the request is the last. */
async function answered(answer: IncomingMessage, id: Posted['id'], { pass }: Wish): Promise<PostAnswer> {
  const status = answer.statusCode ?? 0;
  let rest = '';
  let isAnswered = false;
  for await (const part of answer.setEncoding('utf8')) {
    rest += part as string;
    if (status !== 200) continue;
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      pass(line);
      isAnswered ||= isAnswerTo(line, id);
    }
  }
  if (isAnswered) return { kind: 'answered' };
  if (status === 200) return { kind: 'away', why: 'it broke off' };
  const why = detailIn(rest) ?? `it answered ${status}`;
  return { kind: TRANSIENT.includes(status) ? 'away' : 'refused', why };
}

function isAnswerTo(line: string, id: Posted['id']): boolean {
  const message = JSON.parse(line) as { id?: unknown; method?: unknown };
  return message.id === id && message.method === undefined;
}

function detailIn(body: string): string | undefined {
  try {
    const { detail } = JSON.parse(body) as { detail?: unknown };
    return typeof detail === 'string' ? detail : undefined;
  } catch {
    return undefined;
  }
}
