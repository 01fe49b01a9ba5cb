import { readdir, rm, stat, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../domain/fault.ts';
import type { Clock } from '../platform/clock.ts';
import { hasCode, makeDirectory, syncDirectory, writeFileAtomic } from '../platform/files.ts';
import { assertBlobName, blobName, isBlobName, unknownBlobFault } from './names.ts';
import { openPlain, toFault } from './plain-file.ts';
import type { BlobName } from './port.ts';

/** A blob is a file named by its hash, in a folder named by the first two digits; its modification time is the last put. */
export class BlobFiles {
  readonly #directory: string;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(directory: string, clock: Pick<Clock, 'now'>) {
    this.#directory = directory;
    this.#clock = clock;
  }

  async put(bytes: Buffer): Promise<BlobName> {
    const name = blobName(bytes);
    const path = this.#path(name);
    try {
      await makeDirectory(this.#directory);
      await makeDirectory(this.#folder(name));
      if (!(await this.#holds(path, bytes))) await writeFileAtomic(path, bytes);
      await this.#stamp(path, bytes);
      await syncDirectory(this.#folder(name));
    } catch (error) {
      throw toFault(error, path);
    }
    return name;
  }

  async get(name: BlobName): Promise<Buffer> {
    assertBlobName(name);
    const bytes = await this.#bytes(this.#path(name));
    if (bytes === undefined) throw unknownBlobFault(name);
    const actual = blobName(bytes);
    if (actual !== name) throw new Fault('unavailable', `blob ${name} is damaged: its bytes hash to ${actual}`, { name });
    return bytes;
  }

  /** Also removes temporary files that a crash left before that time. */
  async *list(before: number): AsyncIterable<BlobName> {
    for (const shard of await namesIn(this.#directory)) {
      const folder = join(this.#directory, shard);
      for (const name of await namesIn(folder)) {
        const found = await stat(join(folder, name)).catch(() => undefined);
        if (found === undefined || found.mtimeMs >= before) continue;
        if (isBlobName(name)) yield name;
        else if (name.endsWith('.tmp')) await rm(join(folder, name), { force: true });
      }
    }
  }

  async remove(name: BlobName): Promise<void> {
    assertBlobName(name);
    await unlink(this.#path(name)).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw toFault(error, this.#path(name));
    });
  }

  #folder = (name: BlobName): string => join(this.#directory, name.slice(0, 2));
  #path = (name: BlobName): string => join(this.#folder(name), name);

  async #holds(path: string, bytes: Buffer): Promise<boolean> {
    return (await this.#bytes(path))?.equals(bytes) ?? false;
  }

  /** Stamps a blob as new, so that pruning spares it; if pruning has just removed it, it is written again. */
  async #stamp(path: string, bytes: Buffer): Promise<void> {
    const now = this.#clock.now() / 1000;
    await utimes(path, now, now).catch(async (error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error;
      await writeFileAtomic(path, bytes);
    });
  }

  async #bytes(path: string): Promise<Buffer | undefined> {
    const handle = await openPlain(path, 'read');
    if (handle === undefined) return undefined;
    try {
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  }
}

const namesIn = (directory: string): Promise<string[]> =>
  readdir(directory).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw toFault(error, directory);
  });
