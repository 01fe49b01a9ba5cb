/**
 * The second port: bulk text that has no place in a record.
 *
 * A blob is immutable and named by the SHA-256 of its bytes. A stream is append-only, has one writer, and is numbered by
 * byte offset: whoever knows an offset can go on from it.
 *
 * What every driver promises, and the conformance suite proves:
 *
 * 1. `putBlob` resolves when the bytes would survive the loss of power. Putting the same bytes twice is one blob.
 * 2. `getBlob` returns the bytes that were put, or throws Fault('not_found'); bytes that do not match their name are
 *    Fault('unavailable'), never returned.
 * 3. `append` at an offset that is not the present length throws Fault('conflict') and writes nothing.
 * 4. `read` returns at most `limit` bytes from `from`, nothing past the end, and never a byte that a later read changes.
 * 5. Names are checked: a stream name cannot leave the place where streams live.
 */
export interface RunLog {
  putBlob(text: string): Promise<BlobName>;
  getBlob(name: BlobName): Promise<string>;
  /** Names of the blobs last put before `before` (milliseconds), for pruning. */
  listBlobs(before: number): AsyncIterable<BlobName>;
  removeBlob(name: BlobName): Promise<void>;
  append(stream: string, bytes: Uint8Array, at: number): Promise<number>;
  read(stream: string, from: number, limit: number): Promise<Uint8Array>;
  size(stream: string): Promise<number>;
  removeStream(stream: string): Promise<void>;
}

export type BlobName = string;
