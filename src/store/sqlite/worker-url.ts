import { existsSync } from 'node:fs';
import { bundledWorker } from './bundle-worker.ts';

/** In the bundle the worker lies beside its caller; in the sources it is made into one file first. */
export function defaultWorkerUrl(): URL {
  if (import.meta.url.endsWith('.ts')) return bundledWorker();
  const beside = new URL('./sqlite-worker.mjs', import.meta.url);
  return existsSync(beside) ? beside : new URL('../sqlite-worker.mjs', import.meta.url);
}
