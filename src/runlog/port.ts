/**
 * The second port: bulk text that is too large for a record.
 *
 * A blob is immutable and named by the SHA-256 of its bytes. A stream is append-only, has one writer, and is addressed by byte
 * offset, so a reader can continue from any offset.
 *
 * Promises of every driver, proved by the conformance suite:
 *
 * 1. `putBlob` resolves once the bytes would survive a loss of power. The same bytes put twice make one blob.
 * 2. `getBlob` returns the bytes that were put, or throws Fault('not_found'). Bytes that do not match their name are never
 *    returned: they throw Fault('unavailable').
 * 3. `append` at an offset that is not the present length throws Fault('conflict') and writes nothing.
 * 4. `read` returns at most `limit` bytes from `from`, nothing past the end, and never a byte that later changes.
 * 5. Names are checked: a stream name cannot lead out of the directory of streams.
 */
export interface RunLog {
  putBlob(text: string): Promise<BlobName>;
  getBlob(name: BlobName): Promise<string>;
  /** Names of the blobs last put before `before` (milliseconds since 1970), for pruning. */
  listBlobs(before: number): AsyncIterable<BlobName>;
  removeBlob(name: BlobName): Promise<void>;
  append(stream: string, bytes: Uint8Array, at: number): Promise<number>;
  read(stream: string, from: number, limit: number): Promise<Uint8Array>;
  size(stream: string): Promise<number>;
  removeStream(stream: string): Promise<void>;
}

export type BlobName = string;
