import { statSync } from 'node:fs';
import { Fault } from '../../../domain/fault.ts';
import { connect, openReadOnly } from '../connect.ts';
import { lossOf, readHighWater } from '../high-water.ts';
import { counterOf, standing } from '../migrate.ts';
import { asOpeningFault } from '../sqlite-error.ts';
import { inTransaction } from '../transaction.ts';
import { type Amendment, amend } from './amend.ts';

const LOCK_WAIT_MS = 30_000;

/**
 * Goes on with a database that is known to have lost what was accepted; one that is empty begins anew. The counter passes
 * what was confirmed: no commit after this gets a version that one of the lost had.
 */
export function accept(file: string, amendment: Amendment): { readonly rows: number; readonly lostCommits: number } {
  const high = readHighWater(file);
  const counter = high && lastCommit(file);
  if (high === undefined || lossOf(file, high, counter) === undefined)
    throw new Fault('conflict', `nothing is known to be lost of ${file}: there is nothing to accept`, { file });
  const db = connect({ file, lockWaitMs: LOCK_WAIT_MS, acceptLoss: true });
  try {
    inTransaction(db, () => {
      db.exec(`UPDATE meta SET counter = ${high.counter + 1}`);
      amend(db, amendment, undefined);
    });
    const rows = Number(db.prepare('SELECT count(*) AS n FROM rows').all()[0]?.['n']);
    return { rows, lostCommits: Math.max(0, high.counter - (counter ?? 0)) };
  } finally {
    db.close();
  }
}

/** What is known to be lost of it. */
export function lossIn(file: string): Fault | undefined {
  const high = readHighWater(file);
  return high && lossOf(file, high, lastCommit(file));
}

/** Undefined: there is nothing in it. */
function lastCommit(file: string): number | undefined {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return undefined;
  try {
    const db = openReadOnly(file);
    try {
      return standing(db, file) === 'fresh' ? undefined : counterOf(db);
    } finally {
      db.close();
    }
  } catch (error) {
    throw asOpeningFault(error, file);
  }
}
