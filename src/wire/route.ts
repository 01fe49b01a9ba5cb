import { z } from 'zod';
import type { Operation } from '../contract/operation.ts';

/** Method and path of an operation over HTTP, derived by rule from its declaration; the exceptions are the lists below. */
export interface Route {
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Like `/v1/tasks/{id}/events`. */
  readonly path: string;
  /** The field whose value is part of the path, if any. */
  readonly subject?: string;
  /** A run may leave the subject out to mean its own; then the path has `own`. */
  readonly ownIfLeftOut?: true;
  /** Fields of the query string with their types. A command has none: its fields are in the body. */
  readonly query: Readonly<Record<string, QueryType>>;
  /** Whether the operation creates a thing. */
  readonly creates: boolean;
}

export type QueryType = 'string' | 'number' | 'boolean' | 'strings';

const MAKE = ['create', 'add', 'ask'];
const CHANGE = ['edit', 'set'];
const REMOVE = ['delete', 'remove'];
/** Nouns without a plural path. */
const SINGULAR = ['config', 'db', 'home'];
/** Nouns whose subject is a field of the same name, instead of `id`. */
const NAMED = ['project', 'executor'];
/** The plural of a noun. */
const pluralOf = (noun: string): string => `${noun}${/(?:s|x|z|ch|sh)$/.test(noun) ? 'es' : 's'}`;
/** Operations of the whole fleet have no noun in their path. */
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
        if (!type) throw new Error(`field ${name} has no type that a query string can carry`);
        return [name, type];
      }),
  );
