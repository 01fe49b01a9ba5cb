import { existsSync } from 'node:fs';
import { bundlePrograms } from '../platform/bundle.ts';

let bundled: URL | undefined;

/** The thread's program: in the build a file next to this one, in the sources bundled into one file first. */
export function moduleWorkerUrl(): URL {
  if (import.meta.url.endsWith('.ts')) {
    bundled ??= new URL('module-worker.mjs', bundlePrograms({ 'module-worker': new URL('./module-worker.ts', import.meta.url) }));
    return bundled;
  }
  const sibling = new URL('./module-worker.mjs', import.meta.url);
  return existsSync(sibling) ? sibling : new URL('../module-worker.mjs', import.meta.url);
}
