import { Fault, isFault } from '../../domain/fault.ts';

/** Primary result codes of SQLite that Fleet tells apart. */
const CAUSES = {
  5: 'busy',
  6: 'busy',
  8: 'readonly',
  10: 'ioerr',
  11: 'corrupt',
  13: 'full',
  14: 'cantopen',
  15: 'busy',
  19: 'constraint',
  26: 'notadb',
} as const;

/** SQLite cannot make its shared memory as large as it needs it: that is a full disk, and no failing one. */
const SHARED_MEMORY_SIZE = 4_874;

type Cause = (typeof CAUSES)[keyof typeof CAUSES] | 'other';

/** The one shape of every error of every SQLite library. */
export class SqliteError extends Error {
  override readonly name = 'SqliteError';
  readonly because: Cause;

  constructor(because: Cause, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.because = because;
  }
}

export const isSqlite = (error: unknown, ...because: Cause[]): error is SqliteError =>
  error instanceof SqliteError && (because.length === 0 || because.includes(error.because));

/** libsql gives `rawCode`, node:sqlite `errcode`; the low byte of both is SQLite's primary code. */
export function causeOf(error: unknown): Cause | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const code = ('rawCode' in error && error.rawCode) || ('errcode' in error && error.errcode);
  if (code === SHARED_MEMORY_SIZE) return 'full';
  return typeof code === 'number' ? CAUSES[(code & 0xff) as keyof typeof CAUSES] : undefined;
}

export const damaged = (file: string, seen: string): Fault =>
  new Fault(
    'unavailable',
    `${file} is damaged or is not a fleet database (${seen}); run \`fleet db check\`, then \`fleet db restore FILE\``,
    { file, damaged: true },
  );

export const isDamage = (error: unknown): boolean => isFault(error, 'unavailable') && error.details['damaged'] === true;

export const newerSchema = (file: string, seen: number, known: number): Fault =>
  new Fault('unavailable', `${file} was written by a newer Fleet (schema ${seen}, this program knows ${known}); upgrade fleet`, {
    file,
    seen,
    known,
  });

export const lockHeld = (file: string, waitedMs: number): Fault =>
  new Fault('unavailable', `another process has held the write lock of ${file} for ${Math.round(waitedMs / 1000)} s; try again`, {
    file,
  });

/** What a caller of the store is told. An error that is nobody's expected refusal stays what it is: a bug. */
export function asFault(error: unknown, file: string): unknown {
  if (!isSqlite(error)) return error;
  const advice = ADVICE[error.because];
  if (advice === undefined) return error;
  if (advice === 'damaged') return damaged(file, error.message);
  const details = error.because === 'full' ? { file, full: true } : { file };
  return new Fault('unavailable', `${file}: ${error.message}; ${advice}`, details, { cause: error });
}

/** What is said of a file that cannot be opened or looked at: an error nobody expects is damage there. */
export const asOpeningFault = (error: unknown, file: string): unknown =>
  isSqlite(error, 'other', 'constraint') ? damaged(file, error.message) : asFault(error, file);

/** Whether it tells nothing about the file: neither that it is sound nor that it is damaged. */
export const isUndecided = (error: unknown): boolean => isSqlite(error, 'busy', 'full');

const ADVICE: Readonly<Record<Cause, string | undefined>> = {
  busy: 'another process holds its lock; try again',
  readonly: 'expected a file and a directory that fleet may write; check their owner and permissions',
  ioerr: 'the disk failed, and the commit may or may not have been kept; check the disk',
  corrupt: 'damaged',
  full: 'its disk has no space left and nothing of the commit was kept; free some space and fleet goes on',
  cantopen: 'it cannot be opened; check that it and its directory exist and can be read and written',
  notadb: 'damaged',
  constraint: undefined,
  other: undefined,
};
