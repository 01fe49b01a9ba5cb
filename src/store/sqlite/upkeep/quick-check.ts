import { openReadOnly } from '../connect.ts';
import { standing } from '../migrate.ts';
import { asFault, isUndecided } from '../sqlite-error.ts';

/** The first thing that is wrong with the pages of a database, reading all of them once; nothing when they are well. */
export function quickCheck(file: string): string | undefined {
  try {
    const db = openReadOnly(file);
    try {
      standing(db, file);
      const verdict = String(db.prepare('PRAGMA quick_check(1)').all()[0]?.['quick_check']);
      return verdict === 'ok' ? undefined : verdict;
    } finally {
      db.close();
    }
  } catch (error) {
    if (isUndecided(error)) throw asFault(error, file);
    return error instanceof Error ? error.message : String(error);
  }
}
