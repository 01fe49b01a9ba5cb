import { contract, type OperationName } from '../../contract/index.ts';
import type { Operation } from '../../contract/operation.ts';
import { Fault } from '../../domain/fault.ts';
import { type QueryType, type Route, routeOf } from '../../wire/route.ts';
import type { Again } from '../http/again.ts';
import { jsonBody } from '../http/body.ts';
import type { Asked, Web } from '../http/web.ts';

/** Every operation at its route. Fixed words go before places, so that `/v1/tasks/ready` is not a task called ready. */
export function mountRest(web: Web, again: Again): void {
  const operations: readonly Operation[] = contract;
  const routes = operations.map((operation) => ({ operation, route: routeOf(operation) }));
  for (const { operation, route } of routes.toSorted((a, b) => placesIn(a.route) - placesIn(b.route)))
    web.on(route.method, route.path.replace(/\{(\w+)\}/g, ':$1'), async (asked) => answered(asked, { operation, route, again }));
}

const placesIn = ({ path }: Route): number => path.split('{').length;

interface Asking {
  readonly operation: Operation;
  readonly route: Route;
  readonly again: Again;
}

async function answered(asked: Asked, { operation, route, again }: Asking): Promise<Response> {
  const input = { ...(await given(asked, route)), ...named(asked, route), ...believed(asked, operation) };
  const key = asked.req.header('idempotency-key');
  const call = asked.get('call') as (name: string, input: unknown, options?: { key?: string }) => Promise<unknown>;
  const answer = await call(operation.name as OperationName, input, key === undefined ? {} : { key });
  const tag = tagOf(answer);
  const text = JSON.stringify(answer);
  if (operation.ofRows) again.keep(asked, { text, tag });
  if (tag !== undefined && route.method === 'GET' && asked.req.header('if-none-match') === tag)
    return asked.body(null, 304, { etag: tag });
  return asked.body(text, route.creates ? 201 : 200, {
    'content-type': 'application/json',
    ...(tag === undefined ? {} : { etag: tag }),
    ...(route.creates ? { location: `${route.path}/${encodeURIComponent(String((answer as { id?: unknown }).id))}` } : {}),
  });
}

async function given(asked: Asked, { method, query }: Route): Promise<Record<string, unknown>> {
  return method === 'POST' || method === 'PATCH' ? jsonBody(asked) : fromAddress(asked.req.queries(), query);
}

const named = (asked: Asked, { subject }: Route): Record<string, string> => {
  const value = subject === undefined ? undefined : asked.req.param(subject);
  return subject === undefined || value === undefined ? {} : { [subject]: value };
};

/** `If-Match` says what the caller saw, as a command's `ifSeq` does. */
function believed(asked: Asked, { input }: Operation): { ifSeq?: number } {
  const said = asked.req.header('if-match');
  if (said === undefined || said === '*') return {};
  if (!('ifSeq' in input.shape)) throw new Fault('invalid', 'If-Match: this operation does not depend on what you saw');
  const seq = /^"[\w]+@(\d+)"$/.exec(said)?.[1];
  if (seq === undefined) throw new Fault('invalid', `If-Match: ${said} is not the ETag of an answer of this server`);
  return { ifSeq: Number(seq) };
}

/** Things with a history change whenever it grows, and only then. */
function tagOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const { id, seq } = answer as { id?: unknown; seq?: unknown };
  return typeof id === 'string' && typeof seq === 'number' ? `"${id}@${seq}"` : undefined;
}

/** Words of an address as the values they mean; what is wrong with them is told by the schema, as everywhere. */
const fromAddress = (words: Readonly<Record<string, readonly string[]>>, query: Route['query']): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(words).map(([name, values]) => [name, valueOf(values, Object.hasOwn(query, name) ? query[name] : undefined)]),
  );

function valueOf(words: readonly string[], type: QueryType | undefined): unknown {
  if (type === 'strings') return words;
  const [word = ''] = words;
  if (words.length > 1) return words;
  if (type === 'number') return /^-?\d+(\.\d+)?$/.test(word) ? Number(word) : word;
  if (type === 'boolean') return word === 'true' || word === '' ? true : word === 'false' ? false : word;
  return word;
}
