import type { IncomingHttpHeaders } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { WebContext, WebDeps, WebVariables } from './web.ts';

/** What a caller may call its own request, so that its log and ours can be laid side by side. */
const USABLE = /^[\w.:-]{1,64}$/;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export function requestIdIn({ 'x-request-id': said }: IncomingHttpHeaders, id: () => string): string {
  return typeof said === 'string' && USABLE.test(said) ? said : id();
}

/** Every request has a number, which its answer and every line of the log about it carry. */
export function numbered({ id, elapsed, onAnswer, onStream }: WebDeps): MiddlewareHandler<WebVariables> {
  return async (asked, next) => {
    const begun = elapsed();
    const requestId = requestIdIn(asked.env.incoming.headers, id);
    asked.set('requestId', requestId);
    await next();
    asked.res.headers.set('x-request-id', requestId);
    if (asked.res.headers.get('content-type')?.startsWith('text/event-stream')) onStream?.(asked.env.outgoing);
    const { method } = asked.req;
    onAnswer?.({
      method: METHODS.includes(method) ? method : 'other',
      route: routeOf(asked),
      status: asked.res.status,
      ms: elapsed() - begun,
    });
  };
}

/** The template it was found by. What is in an address is never a label: there is no end to it, and it names things. */
function routeOf(asked: WebContext): string {
  const routes = matchedRoutes(asked);
  // Whoever is refused at the gate has not come to the route that would have answered.
  const found = [routes[asked.req.routeIndex], ...routes].find((route) => route && route.path !== '/*' && route.path !== '*');
  return found?.path ?? 'none';
}
