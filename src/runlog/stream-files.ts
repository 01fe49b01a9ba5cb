import { realpath, unlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { hasCode, makeDirectory } from '../platform/files.ts';
import { assertOffset, assertStreamName, wrongOffsetFault } from './names.ts';
import { notPlainFault, openPlain, toFault } from './plain-file.ts';

/**
 * A stream is a file that only grows. The class does not check that there is only one writer; within this process, appends to a
 * stream run one after the other.
 *
 * Bytes written before a disk filled up stay, because a reader may have seen them. The writer continues from `size`.
 */
export class StreamFiles {
  readonly #directory: string;
  readonly #appending = new Map<string, Promise<unknown>>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  append(stream: string, bytes: Uint8Array, at: number): Promise<number> {
    const before = this.#appending.get(stream) ?? Promise.resolve();
    const appended = before.catch(() => {}).then(() => this.#append(stream, bytes, at));
    this.#appending.set(stream, appended);
    const forget = (): void => {
      if (this.#appending.get(stream) === appended) this.#appending.delete(stream);
    };
    appended.then(forget, forget);
    return appended;
  }

  async read(stream: string, from: number, limit: number): Promise<Uint8Array> {
    assertOffset(from, 'offset');
    assertOffset(limit, 'limit');
    const handle = await this.#openToRead(stream);
    if (handle === undefined) return new Uint8Array();
    try {
      const { size } = await handle.stat();
      const bytes = new Uint8Array(Math.max(0, Math.min(limit, size - from)));
      if (bytes.length === 0) return bytes;
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
      return bytes.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  }

  async size(stream: string): Promise<number> {
    const handle = await this.#openToRead(stream);
    if (handle === undefined) return 0;
    try {
      return (await handle.stat()).size;
    } finally {
      await handle.close();
    }
  }

  async remove(stream: string): Promise<void> {
    const path = this.#path(stream);
    await unlink(path).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw toFault(error, path);
    });
  }

  async #append(stream: string, bytes: Uint8Array, at: number): Promise<number> {
    assertOffset(at, 'offset');
    const path = this.#path(stream);
    try {
      await this.#makeFolders(path);
      const handle = await openPlain(path, 'append');
      if (handle === undefined) throw new Error(`${path} was not created`);
      try {
        const { size } = await handle.stat();
        if (size !== at) throw wrongOffsetFault(stream, at, size);
        await handle.writeFile(bytes);
        return at + bytes.length;
      } finally {
        await handle.close();
      }
    } catch (error) {
      throw toFault(error, path);
    }
  }

  async #openToRead(stream: string) {
    const path = this.#path(stream);
    if (!(await this.#isInside(path))) return undefined;
    return openPlain(path, 'read');
  }

  #path(stream: string): string {
    assertStreamName(stream);
    return join(this.#directory, stream);
  }

  async #makeFolders(path: string): Promise<void> {
    await makeDirectory(this.#directory);
    await makeDirectory(dirname(path));
    await this.#isInside(path);
  }

  /** Whether the stream's folder exists. Throws if the folder is a link, which could lead out of the directory of streams. */
  async #isInside(path: string): Promise<boolean> {
    const inside = relative(this.#directory, dirname(path));
    try {
      if ((await realpath(dirname(path))) !== join(await realpath(this.#directory), inside)) throw notPlainFault(dirname(path));
      return true;
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
      throw error;
    }
  }
}
