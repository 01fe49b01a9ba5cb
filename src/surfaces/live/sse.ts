import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Fault } from '../../domain/fault.ts';
import { hasEnded } from '../../wire/topic.ts';
import { bearerIn } from '../http/admission.ts';
import type { Web, WebContext } from '../http/web.ts';
import type { Hub } from './hub.ts';
import type { Wire } from './pipe.ts';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // Proxies that gather answers would hold back what is live.
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

export const LIVE = '/v1/live';

/** Server-sent events: `GET /v1/live?topic=…`, taken up again with `Last-Event-ID` or `after`. */
export function mountSse(web: Web, hub: Hub): void {
  web.get(LIVE, async (asked) => {
    const { topics, after } = wordsOf(asked);
    const wishes = await hub.wishes(topics, after, asked.get('call'));
    // To a client of EventSource this says that there is nothing to come back for.
    if (wishes.every(({ place }) => hasEnded(place))) return new Response(null, { status: 204 });
    const entry = { token: bearerIn(asked.env.incoming.headers.authorization) ?? '', caller: asked.get('caller') };
    hub.assertRoom(entry);
    const { outgoing } = asked.env;
    const wire = sseWire(outgoing as ServerResponse);
    const connection = hub.connect(entry, wire);
    for (const wish of wishes) hub.follow(connection, wish, () => connection.pipe.end('over'));
    return RESPONSE_ALREADY_SENT;
  });
}

function wordsOf(asked: WebContext): { topics: readonly string[]; after: readonly string[] } {
  const words = new URL(asked.req.url).searchParams;
  for (const name of words.keys())
    if (name !== 'topic' && name !== 'after') throw new Fault('invalid', `${name.slice(0, 50)}: no such field`);
  const last = (asked.req.header('last-event-id') ?? '').split(' ').filter((id) => id !== '');
  return { topics: words.getAll('topic'), after: [...words.getAll('after'), ...last] };
}

/** Its length is not known and its end is the end of the connection, so that what is written goes out as it is. */
export function sseWire(outgoing: ServerResponse): Wire {
  const { socket } = outgoing;
  if (!socket || socket.destroyed) throw new Fault('unavailable', 'the client has gone');
  outgoing.useChunkedEncodingByDefault = false;
  outgoing.writeHead(200, HEADERS);
  outgoing.write('retry: 500\n\n');
  return {
    socket,
    write: ({ sse }) => void outgoing.write(sse),
    beat: () => void outgoing.write(': beat\n\n'),
    end: (why) => {
      outgoing.end(why === 'over' ? undefined : `event: bye\ndata: {"why":"${why}"}\n\n`);
      socket.end();
    },
  };
}
