import { existsSync } from 'node:fs';
import { bundlePrograms } from '../platform/bundle.ts';

let bundled: URL | undefined;

/** In the bundle the thread's program lies beside its caller; in the sources it is made into one file first. */
export function moduleWorkerUrl(): URL {
  if (import.meta.url.endsWith('.ts')) {
    bundled ??= new URL('module-worker.mjs', bundlePrograms({ 'module-worker': new URL('./module-worker.ts', import.meta.url) }));
    return bundled;
  }
  const beside = new URL('./module-worker.mjs', import.meta.url);
  return existsSync(beside) ? beside : new URL('../module-worker.mjs', import.meta.url);
}
