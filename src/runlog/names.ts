import { createHash } from 'node:crypto';
import { Fault } from '../domain/fault.ts';
import type { BlobName } from './port.ts';

const BLOB = /^[0-9a-f]{64}$/;
/** Parts of letters, digits, `.`, `_`, `-`, none with a leading dot: no name is absolute, hidden or leads upwards. */
const STREAM = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}(\/[A-Za-z0-9_][A-Za-z0-9._-]{0,127}){0,3}$/;

export const blobName = (bytes: Uint8Array): BlobName => createHash('sha256').update(bytes).digest('hex');

export const isBlobName = (name: string): boolean => BLOB.test(name);

export function assertBlobName(name: string): void {
  if (!isBlobName(name)) throw new Fault('invalid', `blob name ${JSON.stringify(name.slice(0, 100))}, expected 64 hex digits`);
}

export function assertStreamName(stream: string): void {
  if (STREAM.test(stream)) return;
  throw new Fault(
    'invalid',
    `stream name ${JSON.stringify(stream.slice(0, 100))}, expected up to 4 parts of letters, digits, "._-"`,
  );
}

export function assertOffset(offset: number, what: string): void {
  if (!Number.isSafeInteger(offset) || offset < 0)
    throw new Fault('invalid', `${what} is ${offset}, expected a whole number from 0`);
}

export const unknownBlobFault = (name: BlobName): Fault => new Fault('not_found', `no blob ${name}`, { name });

export const wrongOffsetFault = (stream: string, at: number, length: number): Fault =>
  new Fault('conflict', `stream ${stream} is ${length} bytes long, expected ${at}`, { stream, length });
