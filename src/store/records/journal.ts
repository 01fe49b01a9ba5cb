import { asItIs } from '../../domain/as-it-is.ts';
import { JournalEntry, type JournalNote } from '../../domain/journal/entry.ts';
import type { Instant } from '../../domain/values.ts';
import type { Key, Store, Version, Write } from '../port.ts';
import type { Records, Versioned } from './record.ts';

const entryKey = (entity: string, n: number): Key => ({ kind: 'journal', id: `${entity}/${n}` });

/** Anything with a history: it carries the number of its newest entry. */
interface Chronicled {
  readonly id: string;
  readonly seq: number;
}

export interface Author {
  readonly by: string;
  readonly at: Instant;
}

function entryWrite(entity: string, n: number, author: Author, note: JournalNote): Write {
  const entry = { n, ...author, ...note };
  return {
    op: 'put',
    key: entryKey(entity, n),
    expect: 'absent',
    body: asItIs(JournalEntry, entry) ?? JournalEntry.parse(entry),
    entries: [],
  };
}

/** The first row of something with a history, and the first entry of that history. */
export const creationWrites = <Body extends Chronicled>(
  kind: Records<Body>,
  body: Body,
  author: Author,
  note: JournalNote,
): Write[] => [kind.put(body, 'absent'), entryWrite(body.id, body.seq, author, note)];

/**
 * A change and its entry, in one commit: history is dense because the number comes from the row that the change is
 * conditional on.
 */
export function changeWrites<Body extends Chronicled>(
  kind: Records<Body>,
  seen: Pick<Versioned<Body>, 'version'> & { readonly version: Version },
  next: Body,
  { author, note }: { readonly author: Author; readonly note: JournalNote },
): Write[] {
  const body = { ...next, seq: next.seq + 1 };
  return [kind.put(body, seen.version), entryWrite(body.id, body.seq, author, note)];
}

/** Entries after number `after`, in order, each read consistently: never a gap, never a repetition. */
export async function entriesAfter(
  store: Pick<Store, 'get'>,
  entity: string,
  after: number,
  limit: number,
): Promise<JournalEntry[]> {
  const numbers = Array.from({ length: limit }, (_, index) => after + 1 + index);
  const rows = await Promise.all(numbers.map((n) => store.get(entryKey(entity, n))));
  const end = rows.indexOf(undefined);
  return rows.slice(0, end === -1 ? undefined : end).map((row) => JournalEntry.parse(row?.body));
}

/** The entries of something that is deleted, so that they go with it. */
export const journalKeys = (entity: string, seq: number): Key[] =>
  Array.from({ length: seq }, (_, index) => entryKey(entity, index + 1));
