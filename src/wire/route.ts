import { z } from 'zod';
import type { Operation } from '../contract/operation.ts';

/** Where an operation is found over HTTP. Derived by rule; nothing about it is written by hand but the exceptions below. */
export interface Route {
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Like `/v1/tasks/{id}/events`. */
  readonly path: string;
  /** The field whose value stands in the path, if any. */
  readonly subject?: string;
  /** A run may leave the subject out and means its own; then `own` stands in the path. */
  readonly ownIfLeftOut?: true;
  /** Fields that travel in the address, with what they are. Of a command: none, they travel in the body. */
  readonly query: Readonly<Record<string, QueryType>>;
  /** The answer is a new thing. */
  readonly creates: boolean;
}

export type QueryType = 'string' | 'number' | 'boolean' | 'strings';

const MAKE = ['create', 'add', 'ask'];
const CHANGE = ['edit', 'set'];
const REMOVE = ['delete', 'remove'];
/** Nouns that are one thing, not many. */
const SINGULAR = ['config', 'db', 'home'];
/** Nouns that are asked for by their name, in a field that is called like them. */
const NAMED = ['project', 'executor'];
/** What English says of many of a noun, where that is not the noun with an s. */
const pluralOf = (noun: string): string => `${noun}${/(?:s|x|z|ch|sh)$/.test(noun) ? 'es' : 's'}`;
/** Operations of the whole fleet stand at the root. */
const WHOLE = 'fleet';

export function routeOf({ name, kind, input }: Operation): Route {
  const [noun = '', verb = ''] = name.split('.');
  const { properties: fields = {}, required = [] } = z.toJSONSchema(input, { io: 'input' });
  const subject = 'id' in fields ? 'id' : NAMED.includes(noun) && noun in fields ? noun : undefined;
  const root = noun === WHOLE ? '/v1' : `/v1/${SINGULAR.includes(noun) ? noun : pluralOf(noun)}`;
  const own = subject === undefined ? root : `${root}/{${subject}}`;
  const method = methodOf(kind, verb);
  const isPlain = verb === 'list' || verb === 'show' || method === 'PATCH' || method === 'DELETE' || MAKE.includes(verb);
  return {
    operation: name,
    method,
    path: isPlain && noun !== WHOLE ? own : `${own}/${verb}`,
    ...(subject === undefined ? {} : { subject }),
    ...(subject === undefined || required.includes(subject) ? {} : { ownIfLeftOut: true as const }),
    query: method === 'GET' || method === 'DELETE' ? queryOf(fields, subject) : {},
    creates: MAKE.includes(verb),
  };
}

function methodOf(kind: Operation['kind'], verb: string): Route['method'] {
  if (kind !== 'command') return 'GET';
  if (CHANGE.includes(verb)) return 'PATCH';
  return REMOVE.includes(verb) ? 'DELETE' : 'POST';
}

interface Field {
  readonly type?: string;
}

const QUERY_TYPES: Readonly<Record<string, QueryType>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  array: 'strings',
};

const queryOf = (fields: Readonly<Record<string, unknown>>, subject: string | undefined): Record<string, QueryType> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => name !== subject)
      .map(([name, field]) => {
        const type = QUERY_TYPES[(field as Field).type ?? ''];
        if (!type) throw new Error(`field ${name} of a query cannot stand in an address`);
        return [name, type];
      }),
  );
