import type { z } from 'zod';
import { asItIs } from '../../domain/as-it-is.ts';
import type { IndexEntry, Key, Row, Store, Version, Write } from '../port.ts';

/** A kind of row: its shape, where it stands in the indexes, and how an older shape becomes today's. */
export interface RecordKind<Body> {
  readonly kind: string;
  readonly schema: z.ZodType<Body>;
  readonly idOf: (body: Body) => string;
  readonly entriesOf: (body: Body) => readonly IndexEntry[];
}

/** A record as it was read: what it said, and the belief to write it back with. */
export interface Versioned<Body> {
  readonly body: Body;
  readonly version: Version;
}

export interface Records<Body> {
  readonly kind: string;
  readonly schema: z.ZodType<Body>;
  key(id: string): Key;
  put(body: Body, expect: Version | 'absent'): Write;
  remove(body: Body, expect: Version): Write;
  read(row: Row): Body;
  get(store: Pick<Store, 'get'>, id: string): Promise<Versioned<Body> | undefined>;
}

/** Features add records and index functions, never driver methods. */
export function records<Body>({ kind, schema, idOf, entriesOf }: RecordKind<Body>): Records<Body> {
  const key = (id: string): Key => ({ kind, id });
  /** What was checked when it was written, by the very object: who knows what it wrote reads it again and again. */
  const written = new WeakSet<object>();
  const check = (body: Body): Body => {
    const checked = asItIs(schema, body) ?? schema.parse(body);
    if (typeof checked === 'object' && checked !== null) written.add(checked);
    return checked;
  };
  const read = ({ body }: Row): Body =>
    typeof body === 'object' && body !== null && written.has(body) ? (body as Body) : schema.parse(body);
  /** A store gives the very row again while it has not changed: it need not be checked again. */
  const seen = new WeakMap<Row, Versioned<Body>>();
  const seenIn = (row: Row): Versioned<Body> => {
    const known = seen.get(row) ?? { body: read(row), version: row.version };
    seen.set(row, known);
    return known;
  };
  return {
    kind,
    schema,
    key,
    read,
    put: (body, expect) => ({ op: 'put', key: key(idOf(body)), expect, body: check(body), entries: entriesOf(body) }),
    remove: (body, expect) => ({ op: 'delete', key: key(idOf(body)), expect }),
    get: async (store, id) => {
      const row = await store.get(key(id));
      return row && seenIn(row);
    },
  };
}

/** Any text as one part of an index key: printable ASCII without the separator. */
export const part = (text: string): string => encodeURIComponent(text);

/** The first string after every string that begins with `prefix`. */
export const after = (prefix: string): string => `${prefix}~`;
