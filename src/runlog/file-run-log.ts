import type { Clock } from '../platform/clock.ts';
import { systemClock } from '../platform/clock.ts';
import { BlobFiles } from './blob-files.ts';
import type { BlobName, RunLog } from './port.ts';
import { StreamFiles } from './stream-files.ts';

export interface FileRunLogOptions {
  /** Directory of the blobs, which are in 256 folders. */
  readonly blobs: string;
  /** Directory of the streams: stream `run_1/out` is the file of that path. */
  readonly streams: string;
  readonly clock?: Pick<Clock, 'now'>;
}

/** A run log in ordinary files that only their owner may read. Directories are created when first needed. */
export const openFileRunLog = (options: FileRunLogOptions): RunLog => new FileRunLog(options);

class FileRunLog implements RunLog {
  readonly #blobs: BlobFiles;
  readonly #streams: StreamFiles;

  constructor({ blobs, streams, clock = systemClock }: FileRunLogOptions) {
    this.#blobs = new BlobFiles(blobs, clock);
    this.#streams = new StreamFiles(streams);
  }

  putBlob = async (text: string): Promise<BlobName> => this.#blobs.put(Buffer.from(text));
  getBlob = async (name: BlobName): Promise<string> => (await this.#blobs.get(name)).toString();
  listBlobs = (before: number): AsyncIterable<BlobName> => this.#blobs.list(before);
  removeBlob = async (name: BlobName): Promise<void> => this.#blobs.remove(name);
  append = async (stream: string, bytes: Uint8Array, at: number): Promise<number> => this.#streams.append(stream, bytes, at);
  read = async (stream: string, from: number, limit: number): Promise<Uint8Array> => this.#streams.read(stream, from, limit);
  size = async (stream: string): Promise<number> => this.#streams.size(stream);
  removeStream = async (stream: string): Promise<void> => this.#streams.remove(stream);
}
