import { VIEWS } from './views.ts';

/** "Flet": how `file` and other programs know whose database it is. */
export const APPLICATION_ID = 0x466c6574;

/**
 * Each step brings the schema from its place in this list to the next. A released step is never edited.
 *
 * meta     one row: the counter every version is made of, and the schema again, read inside each transaction so that a
 *          running program notices a newer one.
 * rows     `entries` is what stands in the table of that name for this row; `sum` is the CRC-32 of the other columns.
 * entries  the indexes. Strings are compared as bytes.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE meta (one INTEGER PRIMARY KEY CHECK (one = 1), counter INTEGER NOT NULL, schema INTEGER NOT NULL);
   INSERT INTO meta VALUES (1, 0, 0);
   CREATE TABLE rows (
     rid INTEGER PRIMARY KEY,
     kind TEXT NOT NULL,
     id TEXT NOT NULL,
     version TEXT NOT NULL,
     body TEXT NOT NULL,
     entries TEXT NOT NULL,
     sum INTEGER NOT NULL,
     UNIQUE (kind, id)
   );
   CREATE TABLE entries (
     name TEXT NOT NULL,
     sort TEXT NOT NULL,
     rid INTEGER NOT NULL,
     PRIMARY KEY (name, sort, rid)
   ) WITHOUT ROWID;`,
];

export const SCHEMA = MIGRATIONS.length;

/** Views hold nothing, so they are simply made again whenever the schema moves. */
export const VIEW_SQL = Object.entries(VIEWS)
  .map(([name, { kind, columns }]) => {
    const fields = Object.entries(columns).map(([column, path]) => `json_extract(body, '$.${path}') AS "${column}"`);
    return `DROP VIEW IF EXISTS ${name}; CREATE VIEW ${name} AS SELECT ${['id AS key', ...fields].join(', ')} FROM rows WHERE kind = '${kind}';`;
  })
  .join('\n');
