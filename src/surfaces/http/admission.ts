import { Hono, type MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Call } from '../../contract/call.ts';
import { type Caller, isUnbounded } from '../../domain/authority.ts';
import { Fault, isFault } from '../../domain/fault.ts';
import { Name } from '../../domain/values.ts';
import { type Problem, problemOf } from '../../wire/problem.ts';
import { numbered } from './numbered.ts';
import type { Web, WebContext, WebDeps, WebVariables } from './web.ts';

const LOGIN = 'POST /v1/login';

/**
 * What can be had without a token: a page that says what this is, whether Fleet is there, the description of its interface, and the exchange of a
 * one-time code. Every other route of every surface asks for one; a test walks all of them.
 */
export const PUBLIC: readonly string[] = [
  'GET /',
  'GET /health',
  'GET /openapi.json',
  'GET /docs',
  'GET /docs/style.css',
  'GET /login',
  'GET /login/login.js',
  LOGIN,
];

/** An application whose every route is behind the gate. */
export function admittedWeb(needs: WebDeps): Web {
  const web = new Hono<WebVariables>();
  web.onError((error, asked) => told(error, asked, needs));
  web.notFound((asked) => told(new Fault('not_found', `nothing is at ${asked.req.method} ${asked.req.path}`), asked, needs));
  web.use(numbered(needs));
  web.use(headers);
  web.use(neighbours(needs));
  web.use(letIn(needs));
  return web;
}

/** Nothing we answer is a page of somebody else's, and nothing of it acts in a browser. */
export const SAFE: readonly (readonly [string, string])[] = [
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['x-frame-options', 'DENY'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['cache-control', 'no-store'],
];

/** Said to Node itself, before there is an answer: each layer in between would copy and check them once more. */
const headers: MiddlewareHandler<WebVariables> = (asked, next) => {
  const { outgoing } = asked.env;
  for (const [name, value] of SAFE) outgoing.setHeader(name, value);
  return next();
};

/** A page of another site reaches us through the user's browser; it cannot choose what the browser says of it. */
export function assertNeighbour(
  said: { host?: string | undefined; origin?: string | undefined },
  needs: Pick<WebDeps, 'rules'>,
): void {
  const { hosts, origins } = needs.rules();
  if (!hosts.has((said.host ?? '').toLowerCase()))
    throw new Fault('forbidden', 'this name is not one of this server: add it to the setting allowed_hosts');
  if (said.origin !== undefined && !origins.has(said.origin))
    throw new Fault('forbidden', 'pages of another origin may not ask: add it to the setting allowed_origins');
}

const neighbours =
  (needs: WebDeps): MiddlewareHandler<WebVariables> =>
  async (asked, next) => {
    if (!asked.env.isLocal) assertNeighbour(asked.env.incoming.headers, needs);
    await next();
  };

const BEARER = /^Bearer ([\w.~+/-]+)$/i;

/** The token in an Authorization header. */
export const bearerIn = (authorization: string | undefined): string | undefined => BEARER.exec(authorization ?? '')?.[1];

/** The token, and nothing else, says who asks. An owner may say for whom. */
function letIn(needs: WebDeps): MiddlewareHandler<WebVariables> {
  const { within } = needs;
  return async (asked, next) => {
    const address = `${asked.req.method} ${asked.req.path}`;
    if (PUBLIC.includes(address) && !asked.env.isForRuns) {
      // Who signs in is counted where it is known whether the code was any good.
      if (address !== LOGIN) within(`public ${asked.env.incoming.socket.remoteAddress ?? ''}`);
      return next();
    }
    const { caller, call } = await admitted(asked.env, needs);
    asked.set('caller', caller);
    asked.set('call', call);
    return next();
  };
}

/** Who asks, by the right door, within its connections and its rate, and what it calls with. */
export async function admitted(
  arrival: Arrival,
  needs: Pick<WebDeps, 'identify' | 'within' | 'callAs' | 'connected'>,
): Promise<{ caller: Caller; call: Call }> {
  const { headers: said } = arrival.incoming;
  const caller = await callerOf(said.authorization, said['fleet-as'], needs);
  admit(caller, arrival, needs);
  needs.within(caller.id);
  return { caller, call: needs.callAs(caller, settingsIn(said['fleet-settings'])) };
}

/** A request, where its answer goes, and its door. */
type Arrival = Pick<WebContext['env'], 'incoming' | 'outgoing' | 'isForRuns'>;

/** By the door of runs only runs come in, whatever else somebody in there has found. */
export function assertDoor({ role }: Caller, isForRuns: boolean | undefined): void {
  if (isForRuns && role !== 'run') throw new Fault('forbidden', 'this socket is for runs: only the token of a run opens it');
}

/** Whoever has too many connections is told so on the one that is too many, which is closed. */
function admit(caller: Caller, { isForRuns, incoming, outgoing }: Arrival, { connected }: Pick<WebDeps, 'connected'>): void {
  assertDoor(caller, isForRuns);
  try {
    connected?.(incoming.socket, caller);
  } catch (error) {
    outgoing.setHeader('connection', 'close');
    throw error;
  }
}

/** What the caller's environment gives for its own calls: JSON, percent-encoded because a header is no place for all letters. */
export function settingsIn(said: string | readonly string[] | undefined): Readonly<Record<string, string>> | undefined {
  if (said === undefined) return undefined;
  try {
    const value = JSON.parse(decodeURIComponent(String(said))) as unknown;
    const isGood = typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string');
    if (isGood) return value as Readonly<Record<string, string>>;
  } catch {
    // Told below.
  }
  throw new Fault('invalid', 'Fleet-Settings is not a JSON object of texts, percent-encoded');
}

export async function callerOf(
  authorization: string | undefined,
  as: string | readonly string[] | undefined,
  needs: Pick<WebDeps, 'identify'>,
): Promise<Caller> {
  const token = bearerIn(authorization);
  if (token === undefined)
    throw new Fault('unauthenticated', 'a token is needed: send it as `Authorization: Bearer TOKEN`', {
      hint: 'on its own machine it is in admin.token in the home of the fleet; `fleet token create` makes others',
    });
  const caller = await needs.identify(token);
  // Whoever signs for others in the journal is the owner: a token of a team speaks for itself.
  if (as === undefined || !isUnbounded(caller)) return caller;
  const name = Name.safeParse(as);
  if (!name.success) throw new Fault('invalid', 'Fleet-As is not a usable name');
  return { ...caller, name: name.data };
}

function told(error: unknown, asked: WebContext, needs: Pick<WebDeps, 'id' | 'log'>): Response {
  const { method, path } = asked.req;
  const { status, text, head } = refusalOf(error, { requestId: asked.get('requestId') ?? needs.id(), method, path }, needs);
  return asked.body(text, status as ContentfulStatusCode, Object.fromEntries(head));
}

/** A request as the log knows it. */
interface About {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
}

interface Refusal {
  readonly status: number;
  readonly text: string;
  readonly head: readonly (readonly [string, string])[];
}

/** How a refusal leaves. A fault of ours tells its number and nothing else: the log has the rest. */
export function refusalOf(error: unknown, about: About, { log }: Pick<WebDeps, 'log'>): Refusal {
  const problem = isFault(error) ? problemOf(error) : bug(error, about, log);
  const { status, code } = problem;
  const head: [string, string][] = [['content-type', 'application/problem+json']];
  if (code === 'unauthenticated') head.push(['www-authenticate', 'Bearer realm="fleet"']);
  if (status === 429 || status === 503) head.push(['retry-after', '1']);
  return { status, text: JSON.stringify(problem), head };
}

function bug(error: unknown, about: About, log: WebDeps['log']): Problem {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  log('http.bug', { ...about, message, stack });
  return {
    type: 'about:blank',
    title: 'A fault in Fleet',
    status: 500,
    detail: 'this is a fault in Fleet, not in your request',
    code: 'bug',
    id: about.requestId,
  };
}
