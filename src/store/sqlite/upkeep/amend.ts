import { assertWrites, STORE_LIMITS } from '../../assert-writes.ts';
import type { Row, Write } from '../../port.ts';
import { prepareCommitCheck } from '../commit.ts';
import type { Database } from '../database.ts';
import { counterOf } from '../migrate.ts';
import { packWrites } from '../wire.ts';

/** What must not be as it was when the backup was made: decided from the rows of a few kinds, before and after. */
export interface Amendment {
  readonly kinds: readonly string[];
  /** `before`: the rows of the database that is replaced; undefined when it is gone or cannot be read. */
  writes(restored: readonly Row[], before: readonly Row[] | undefined): readonly Write[];
}

export function rowsOf(db: Database, kinds: readonly string[]): readonly Row[] {
  const find = db.prepare('SELECT kind, id, version, body FROM rows WHERE kind = ?');
  return kinds.flatMap((kind) =>
    find.all(kind).map((row) => ({
      key: { kind, id: String(row['id']) },
      version: String(row['version']),
      body: JSON.parse(String(row['body'])),
    })),
  );
}

/** The counter must have passed every version there is: what is written here gets one of its own. */
export function amend(db: Database, { kinds, writes }: Amendment, before: readonly Row[] | undefined): void {
  const wanted = writes(rowsOf(db, kinds), before);
  const look = prepareCommitCheck(db);
  wanted.forEach((write, at) => look(packWrites(assertWrites([write], STORE_LIMITS)), `${counterOf(db)}.${at}`)());
}
