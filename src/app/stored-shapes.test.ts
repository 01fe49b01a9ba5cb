import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { JournalEntry } from '../domain/journal/entry.ts';
import type { Records } from '../store/records/record.ts';
import { SCHEMA } from '../store/sqlite/schema.ts';
import { HOME_FORMAT } from './home-format.ts';
import { backlogs } from './observe/trace/backlog.ts';
import accepted from './stored-shapes.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '..');
const records = join(ROOT, 'store', 'records');
const files = readdirSync(records).filter((name) => /(?<!\.test)\.ts$/.test(name));
const modules = await Promise.all(
  files.map((name): Promise<Record<string, unknown>> => import(pathToFileURL(join(records, name)).href)),
);

const isRecords = (value: unknown): value is Records<unknown> =>
  typeof value === 'object' && value !== null && 'schema' in value && 'put' in value && 'kind' in value;

/** Every kind of row there is. */
const kinds = new Map<string, z.ZodType>([
  ['journal', JournalEntry],
  ...[...modules.flatMap((module) => Object.values(module)), backlogs]
    .filter(isRecords)
    .map(({ kind, schema }) => [kind, schema] as const),
]);

/** Of what may stand in a row, without the words that only people read. */
function fingerprint(schema: z.ZodType): string {
  const shape = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const text = JSON.stringify(shape, (name, value) =>
    typeof value === 'string' && ['description', '$schema'].includes(name) ? undefined : value,
  );
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

const now = {
  homeFormat: HOME_FORMAT,
  schema: SCHEMA,
  rows: Object.fromEntries(
    [...kinds].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([kind, schema]) => [kind, fingerprint(schema)]),
  ),
};

it('the shapes of rows are those that the number of the format stands for [STORE-04]', () => {
  const before: Readonly<Record<string, string>> = accepted.rows;
  const changed = [...new Set([...Object.keys(now.rows), ...Object.keys(before)])].filter(
    (kind) => now.rows[kind] !== before[kind],
  );
  const isRaised = HOME_FORMAT > accepted.homeFormat || SCHEMA > accepted.schema;
  const todo = isRaised
    ? 'the format was raised: write what is below into src/app/stored-shapes.json'
    : `rows of kind ${changed.join(', ')} have another shape: an older program on the same home would refuse them or take them for something else. Raise HOME_FORMAT in src/app/home-format.ts so that it refuses the home instead, see that rows of before can still be read, and write what is below, with the new number, into src/app/stored-shapes.json`;
  expect(now, `${todo}:\n${JSON.stringify(now, null, 2)}\n`).toEqual(accepted);
});

it('no kind of row is left out of them', () => {
  const all = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) => /(?<!\.test)\.ts$/.test(name));
  const made = all.flatMap((name) => readFileSync(join(ROOT, name), 'utf8').match(/^export const \w+ = records</gm) ?? []);
  expect(kinds.size).toBe(made.length + 1);
});
