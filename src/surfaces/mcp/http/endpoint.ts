import {
  createMcpHandler,
  isInitializeRequest,
  isJSONRPCRequest,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { Fault } from '../../../domain/fault.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { jsonValue } from '../../http/body.ts';
import type { WebContext, WebDeps } from '../../http/web.ts';
import { type McpDeps, mcpServer, type Visit } from '../server.ts';
import { toolSetCalled } from '../tool-sets.ts';
import { EventStream, messageIn } from './event-stream.ts';
import { keyedCall, oneAnswer } from './one-answer.ts';
import { openSessions } from './sessions.ts';

export type EndpointDeps = McpDeps & Pick<WebDeps, 'within'>;

/** MCP over HTTP: requests that stand alone (2026-07-28), sessions (2025), and streams of events (2024). */
export interface McpEndpoint {
  /** `/mcp`. */
  answer(asked: WebContext): Promise<Response>;
  /** `/mcp/sse`. */
  stream(asked: WebContext): Promise<Response>;
  /** `/mcp/messages/`. */
  post(asked: WebContext): Promise<Response>;
  /** `/mcp/run`. */
  once(asked: WebContext): Promise<Response>;
  close(): Promise<void>;
}

export function mcpEndpoint(needs: EndpointDeps): McpEndpoint {
  const sessions = openSessions<WebStandardStreamableHTTPServerTransport>(needs);
  const streams = openSessions<EventStream>(needs);
  const alone = createMcpHandler(({ authInfo }) => mcpServer(authInfo?.extra?.['visit'] as Visit, needs), { legacy: 'reject' });

  const opened = (asked: WebContext) =>
    sessions.open(ownerOf(asked), async (id) => {
      const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id });
      transport.onclose = () => void sessions.end(id);
      await mcpServer(visitOf(asked), needs).connect(transport);
      return transport;
    });

  return {
    answer: async (asked) => {
      const { raw } = asked.req;
      const body = raw.method === 'POST' ? await jsonValue(asked) : undefined;
      countEach(body, asked, needs);
      if (raw.method === 'POST' && !(await isLegacyRequest(raw, body)))
        return alone.fetch(raw, { parsedBody: body, authInfo: infoOf(asked) });
      const id = asked.req.header('mcp-session-id');
      if (id === undefined && !beginsSession(body)) throw new Fault('invalid', 'no MCP session: begin one with initialize');
      const session = id === undefined ? await opened(asked) : sessions.find(id, ownerOf(asked));
      sessions.use(session, asked.env.outgoing);
      return session.kept.handleRequest(raw, raw.method === 'POST' ? { parsedBody: body } : {});
    },
    stream: async (asked) => {
      const session = await streams.open(ownerOf(asked), async (id) => {
        const stream = new EventStream(`/mcp/messages/?session_id=${id}`);
        await mcpServer(visitOf(asked), needs).connect(stream);
        return stream;
      });
      streams.use(session, asked.env.outgoing);
      asked.env.outgoing.once('close', () => void streams.end(session.id));
      return new Response(session.kept.body, {
        headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' },
      });
    },
    post: async (asked) => {
      const body = await jsonValue(asked);
      countEach(body, asked, needs);
      const session = streams.find(asked.req.query('session_id') ?? '', ownerOf(asked));
      session.kept.receive(body);
      return new Response('Accepted', { status: 202 });
    },
    once: async (asked) => {
      const visit = visitOf(asked);
      if (visit.set !== 'run') throw new Fault('forbidden', 'only the agent of a run may ask here: use /mcp');
      const message = messageIn(await jsonValue(asked));
      // Nothing is remembered from one request to the next, so there is nothing to note.
      if (!isJSONRPCRequest(message)) return new Response(null, { status: 202 });
      const call = keyedCall(visit.call, asked.req.header('idempotency-key'));
      return oneAnswer(message, () => mcpServer({ ...visit, call }, needs));
    },
    close: async () => {
      await Promise.all([alone.close(), sessions.closeAll(), streams.closeAll()]);
    },
  };
}

/** The request itself was counted at the gate; of several calls in one, each counts. */
function countEach(body: unknown, asked: WebContext, { within }: EndpointDeps): void {
  if (!Array.isArray(body) || body.length <= 1) return;
  const most = LIMITS.batchCalls.value;
  if (body.length > most) throw new Fault('limit', `${body.length} calls in one request: at most ${most} are taken`);
  within(asked.get('caller').id, body.length - 1);
}

const beginsSession = (body: unknown): boolean => (Array.isArray(body) ? body : [body]).some(isInitializeRequest);

/** The very token, however its header is written: two tokens of one person are two owners. */
const ownerOf = (asked: WebContext): string => asked.get('caller').id;

/** What it is offered: what it asks for, or what belongs to a run. */
function visitOf(asked: WebContext): Visit {
  const { role, run } = asked.get('caller');
  const set = run ? 'run' : toolSetCalled(asked.req.query('toolset') ?? 'orchestrate');
  return { call: asked.get('call'), standing: role, set };
}

const infoOf = (asked: WebContext) => ({
  token: '',
  clientId: asked.get('caller').name,
  scopes: [],
  extra: { visit: visitOf(asked) },
});
