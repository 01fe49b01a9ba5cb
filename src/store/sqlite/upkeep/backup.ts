import { link, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault, isFault } from '../../../domain/fault.ts';
import { exists, hasCode, makeDirectory, syncDirectory } from '../../../platform/files.ts';
import { openDatabase } from '../database.ts';
import { asFault } from '../sqlite-error.ts';
import { inTransaction } from '../transaction.ts';
import type { BlobSource } from './blob-source.ts';
import { snapshot, syncFile } from './snapshot.ts';

export interface BackupReport {
  readonly target: string;
  readonly bytes: number;
  readonly rows: number;
  readonly blobs: number;
  /** Blobs that could not be read, and are not in the copy. */
  readonly lost: readonly string[];
}

/**
 * One file that holds everything, consistent, made while others go on writing.
 *
 * Blobs are copied after the rows: a blob is written before the row that names it, so every blob the copied rows name is
 * there.
 */
export async function backup(
  file: string,
  target: string,
  blobs: BlobSource,
  { overwrite = false }: { readonly overwrite?: boolean } = {},
): Promise<BackupReport> {
  if (!overwrite && (await exists(target))) throw taken(target);
  try {
    await makeDirectory(dirname(target));
    await using copy = await snapshot(file, target);
    const counts = await addBlobs(copy.path, blobs);
    await syncFile(copy.path);
    const { size } = await stat(copy.path);
    await (overwrite ? rename(copy.path, target) : nameOnce(copy.path, target));
    await syncDirectory(dirname(target));
    return { target, bytes: size, ...counts };
  } catch (error) {
    throw explained(error, file, target);
  }
}

async function addBlobs(path: string, blobs: BlobSource) {
  const db = openDatabase(path);
  try {
    // Until it is whole, synced and named, nobody counts on this file.
    db.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF');
    db.exec('CREATE TABLE blobs (name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID');
    const insert = db.prepare('INSERT INTO blobs VALUES (?, ?)');
    const lost: string[] = [];
    let count = 0;
    for await (const name of blobs.listBlobs(Number.POSITIVE_INFINITY)) {
      const text = await readable(blobs, name);
      if (text === undefined) lost.push(name);
      else inTransaction(db, () => insert.run(name, text));
      count += text === undefined ? 0 : 1;
    }
    const rows = Number(db.prepare('SELECT count(*) AS n FROM rows').all()[0]?.['n']);
    return { rows, blobs: count, lost };
  } finally {
    db.close();
  }
}

const readable = (blobs: BlobSource, name: string): Promise<string | undefined> =>
  blobs.getBlob(name).catch((error: unknown) => {
    if (isFault(error)) return undefined;
    throw error;
  });

/** Unlike a rename, a link never replaces what came there meanwhile. */
async function nameOnce(path: string, target: string): Promise<void> {
  await link(path, target).catch((error: unknown) => {
    throw hasCode(error, 'EEXIST') ? taken(target) : error;
  });
  await unlink(path);
}

const taken = (target: string): Fault => new Fault('conflict', `${target} exists already, expected a new name`, { target });

function explained(error: unknown, file: string, target: string): unknown {
  if (isFault(error) || !(error instanceof Error) || !('code' in error)) return asFault(error, file);
  return new Fault('unavailable', `cannot write ${target}: ${error.message}`, { target }, { cause: error });
}
