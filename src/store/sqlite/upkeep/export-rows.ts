import { unpackEntries } from '../commit.ts';
import { openDatabase } from '../database.ts';
import { asFault } from '../sqlite-error.ts';
import { snapshot } from './snapshot.ts';

const PAGE = 500;

/** Every row as one line of JSON: `{"kind","id","version","body","entries":[{"index","sort"}]}`. */
export async function* exportRows(file: string): AsyncGenerator<string> {
  try {
    await using copy = await snapshot(file, file);
    const db = openDatabase(copy.path, { readOnly: true });
    try {
      const page = db.prepare(`SELECT * FROM rows WHERE rid > ? ORDER BY rid LIMIT ${PAGE}`);
      for (let rows = page.all(-1); rows.length > 0; rows = page.all(Number(rows.at(-1)?.['rid']))) {
        for (const row of rows) yield line(row);
      }
    } finally {
      db.close();
    }
  } catch (error) {
    throw asFault(error, file);
  }
}

const line = ({ kind, id, version, body, entries }: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ kind, id, version, body: JSON.parse(String(body)), entries: unpackEntries(String(entries)) });
