import { open, rm } from 'node:fs/promises';
import { PRIVATE_FILE, temporaryName } from '../../../platform/files.ts';
import { openReadOnly } from '../connect.ts';

export interface DatabaseSnapshot extends AsyncDisposable {
  readonly path: string;
}

/**
 * A consistent copy in one private file beside `near`, removed at the end of the scope unless it was moved away.
 * The database is read for as long as the copy takes and never waited for: who goes slowly through it reads the copy.
 */
export async function snapshot(file: string, near: string): Promise<DatabaseSnapshot> {
  const path = temporaryName(near);
  const made = { path, [Symbol.asyncDispose]: () => removeDatabase(path) };
  try {
    await (await open(path, 'wx', PRIVATE_FILE)).close();
    const db = openReadOnly(file);
    try {
      db.prepare('VACUUM INTO ?').run(path);
    } finally {
      db.close();
    }
    return made;
  } catch (error) {
    await made[Symbol.asyncDispose]();
    throw error;
  }
}

/** Only for a file that no connection of this process uses any more: closing it drops their locks. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const removeDatabase = async (path: string): Promise<void> => {
  for (const suffix of ['', '-wal', '-shm', '-journal', '-last']) await rm(`${path}${suffix}`, { force: true });
};
