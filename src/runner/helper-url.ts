import { existsSync } from 'node:fs';
import { bundlePrograms } from '../platform/bundle.ts';

let bundled: URL | undefined;

/** In the bundle the helper lies beside its caller; in the sources it is made into one file first. */
export function defaultHelperUrl(): URL {
  if (import.meta.url.endsWith('.ts')) {
    bundled ??= new URL('spawn-helper.mjs', bundlePrograms({ 'spawn-helper': new URL('./spawn-helper.ts', import.meta.url) }));
    return bundled;
  }
  const beside = new URL('./spawn-helper.mjs', import.meta.url);
  return existsSync(beside) ? beside : new URL('../spawn-helper.mjs', import.meta.url);
}
