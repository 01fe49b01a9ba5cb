import type { Database } from './database.ts';
import { APPLICATION_ID, MIGRATIONS, SCHEMA, VIEW_SQL } from './schema.ts';
import { damaged, newerSchema } from './sqlite-error.ts';
import { rollback } from './transaction.ts';

export type SchemaStanding = 'fresh' | 'behind' | 'current';

/** Says whose database this is and how old, by reading alone: one snapshot, for another process may be making it. */
export function standing(db: Database, file: string): SchemaStanding {
  db.exec('BEGIN');
  try {
    return standingInside(db, file);
  } finally {
    rollback(db);
  }
}

export function standingInside(db: Database, file: string): SchemaStanding {
  const owner = pragma(db, 'application_id');
  const schema = pragma(db, 'user_version');
  const made = count(db, 'SELECT count(*) AS n FROM sqlite_master');
  if (owner === 0 && schema === 0 && made === 0) return 'fresh';
  if (owner !== APPLICATION_ID) throw damaged(file, `application id ${owner}, expected ${APPLICATION_ID}`);
  if (schema > SCHEMA) throw newerSchema(file, schema, SCHEMA);
  if (schema < 1) throw damaged(file, `schema ${schema}, expected 1 to ${SCHEMA}`);
  const recorded = count(db, 'SELECT schema AS n FROM meta');
  if (recorded !== schema) throw damaged(file, `schema ${schema} in the header, ${recorded} inside`);
  return schema < SCHEMA ? 'behind' : 'current';
}

/** Runs in the caller's IMMEDIATE transaction: of many processes that open at once, one does the work. */
export function migrate(db: Database, file: string): void {
  if (standingInside(db, file) === 'current') return;
  for (const step of MIGRATIONS.slice(pragma(db, 'user_version'))) db.exec(step);
  db.exec(VIEW_SQL);
  db.exec(`UPDATE meta SET schema = ${SCHEMA}; PRAGMA user_version = ${SCHEMA}; PRAGMA application_id = ${APPLICATION_ID}`);
}

export const pragma = (db: Database, name: string): number =>
  Number(Object.values(db.prepare(`PRAGMA ${name}`).all()[0] ?? {})[0]);

export const counterOf = (db: Database): number => count(db, 'SELECT counter AS n FROM meta');

const count = (db: Database, sql: string): number => Number(db.prepare(sql).all()[0]?.['n']);
