import type { Clock } from '../platform/clock.ts';
import { systemClock } from '../platform/clock.ts';
import { assertBlobName, assertOffset, assertStreamName, blobName, unknownBlobFault, wrongOffsetFault } from './names.ts';
import type { BlobName, RunLog } from './port.ts';

interface Blob {
  readonly text: string;
  readonly putAt: number;
}

/** A run log for tests and simulations: it keeps every promise except surviving a loss of power. */
export const openMemoryRunLog = (clock: Pick<Clock, 'now'> = systemClock): RunLog => new MemoryRunLog(clock);

class MemoryRunLog implements RunLog {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #blobs = new Map<BlobName, Blob>();
  readonly #streams = new Map<string, Buffer>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  async putBlob(text: string): Promise<BlobName> {
    const bytes = Buffer.from(text);
    const name = blobName(bytes);
    this.#blobs.set(name, { text: bytes.toString(), putAt: this.#clock.now() });
    return name;
  }

  async getBlob(name: BlobName): Promise<string> {
    assertBlobName(name);
    const blob = this.#blobs.get(name);
    if (blob === undefined) throw unknownBlobFault(name);
    return blob.text;
  }

  async *listBlobs(before: number): AsyncIterable<BlobName> {
    for (const [name, { putAt }] of this.#blobs) if (putAt < before) yield name;
  }

  async removeBlob(name: BlobName): Promise<void> {
    assertBlobName(name);
    this.#blobs.delete(name);
  }

  async append(stream: string, bytes: Uint8Array, at: number): Promise<number> {
    assertStreamName(stream);
    assertOffset(at, 'offset');
    const present = this.#streams.get(stream) ?? Buffer.alloc(0);
    if (present.length !== at) throw wrongOffsetFault(stream, at, present.length);
    this.#streams.set(stream, Buffer.concat([present, bytes]));
    return present.length + bytes.length;
  }

  async read(stream: string, from: number, limit: number): Promise<Uint8Array> {
    assertStreamName(stream);
    assertOffset(from, 'offset');
    assertOffset(limit, 'limit');
    return Uint8Array.from(this.#streams.get(stream)?.subarray(from, from + limit) ?? []);
  }

  async size(stream: string): Promise<number> {
    assertStreamName(stream);
    return this.#streams.get(stream)?.length ?? 0;
  }

  async removeStream(stream: string): Promise<void> {
    assertStreamName(stream);
    this.#streams.delete(stream);
  }
}
