import type { Call, CallOptions } from '../contract/call.ts';
import { Fault } from '../domain/fault.ts';
import { faultFromProblem } from './problem.ts';
import type { Route } from './route.ts';

/** One HTTP request without address and credentials, which `send` adds. */
export interface HttpRequestParts {
  readonly method: Route['method'];
  /** Path and query string. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/** In a path, stands for the caller's own run or task. It is too short to be an id. */
export const OWN_SEGMENT = 'own';

export type SendRequest = (request: HttpRequestParts) => Promise<HttpAnswer>;

type Routes = Readonly<Record<string, Route>>;

/** A `Call` over HTTP, with the same answers and faults as in process. */
export function clientCall(routes: Routes, send: SendRequest): Call {
  const call = async (name: string, input: Readonly<Record<string, unknown>> = {}, options: CallOptions = {}) => {
    const route = routes[name];
    if (!route) throw new Fault('not_found', `no operation is called ${name}`);
    const { status, body } = await send(requestFor(route, input, options));
    const answer = parsed(body);
    if (status >= 400) throw faultFromProblem(status, answer);
    return answer;
  };
  return call as Call;
}

export function requestFor(
  { method, path, subject, ownIfLeftOut, query }: Route,
  input: Readonly<Record<string, unknown>>,
  { key }: CallOptions,
): HttpRequestParts {
  const { [subject ?? '']: subjectValue, ...rest } = input;
  const segment = subjectValue === undefined && ownIfLeftOut ? OWN_SEGMENT : String(subjectValue);
  const bare = subject === undefined ? path : path.replace(`{${subject}}`, encodeURIComponent(segment));
  const hasBody = method === 'POST' || method === 'PATCH';
  const queryText = hasBody ? '' : queryString(rest, query);
  return {
    method,
    target: queryText === '' ? bare : `${bare}?${queryText}`,
    headers: {
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(hasBody ? { body: JSON.stringify(rest) } : {}),
  };
}

function queryString(fields: Readonly<Record<string, unknown>>, query: Route['query']): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (!(name in query)) throw new Fault('invalid', `${name}: no such field`);
    for (const one of Array.isArray(value) ? value : [value]) words.append(name, String(one));
  }
  return words.toString();
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
