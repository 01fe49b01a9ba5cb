import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { causeOf, SqliteError } from './sqlite-error.ts';

type Value = string | number | null;
export type Columns = Readonly<Record<string, unknown>>;

export interface Statement {
  /** Returns the id of the row it inserted, if it inserted one. */
  run(...values: Value[]): number;
  get(...values: Value[]): Columns | undefined;
  all(...values: Value[]): Columns[];
}

/** The little of SQLite that Fleet uses, whichever library provides it. Every error is a `SqliteError`. */
export interface Database {
  readonly library: Library;
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export type Library = 'node' | 'libsql';

interface OpenOptions {
  readonly readOnly?: boolean;
  readonly library?: Library | undefined;
}

/** `node:sqlite` where Node has it, else `libsql`, unless one is asked for. */
export function openDatabase(file: string, { readOnly = false, library = preferred() }: OpenOptions = {}): Database {
  const raw = attempt(() => (library === 'node' ? openNode(file, readOnly) : openLibsql(file, readOnly)), 'cantopen');
  return {
    library,
    exec: (sql) => attempt(() => raw.exec(sql)),
    prepare: (sql) =>
      statement(
        attempt(() => raw.prepare(sql)),
        library,
      ),
    close: () => attempt(() => raw.close()),
  };
}

interface Ran {
  readonly lastInsertRowid: number | bigint;
}

interface RawStatement {
  run(...values: unknown[]): unknown;
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
}

interface RawDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): RawStatement;
  close(): unknown;
}

const preferred = (): Library => (process.getBuiltinModule('node:sqlite') === undefined ? 'libsql' : 'node');

type Open = new (file: string, options: { readOnly?: boolean; timeout?: number }) => RawDatabase;

function openNode(file: string, readOnly: boolean): RawDatabase {
  const builtin = process.getBuiltinModule('node:sqlite') as { DatabaseSync: Open } | undefined;
  if (builtin === undefined) throw new Error(`node ${process.version} has no node:sqlite, expected 22.13 or later`);
  return new builtin.DatabaseSync(file, { readOnly });
}

/** libsql ignores its `readonly` option; SQLite's own URI does not. */
function openLibsql(file: string, readOnly: boolean): RawDatabase {
  const Libsql = createRequire(import.meta.url)('libsql') as Open;
  return new Libsql(readOnly ? `${pathToFileURL(file).href}?mode=ro` : file, {});
}

/** libsql takes a lone object for named values, so it gets one array; node:sqlite takes the values one by one. */
function statement(raw: RawStatement, library: Library): Statement {
  const bind = (values: Value[]): unknown[] => (library === 'libsql' ? [values] : values);
  return {
    run: (...values) => Number((attempt(() => raw.run(...bind(values))) as Ran).lastInsertRowid),
    get: (...values) => attempt(() => raw.get(...bind(values))) as Columns | undefined,
    all: (...values) => attempt(() => raw.all(...bind(values))) as Columns[],
  };
}

function attempt<T>(work: () => T, otherwise?: 'cantopen'): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof SqliteError ? error : new SqliteError(causeOf(error) ?? otherwise ?? 'other', error);
  }
}
