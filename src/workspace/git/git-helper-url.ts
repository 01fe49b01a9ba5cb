import { existsSync } from 'node:fs';
import { bundlePrograms } from '../../platform/bundle.ts';

let bundled: URL | undefined;

/** In the bundle the helper lies beside its caller; in the sources it is made into one file first. */
export function gitHelperUrl(): URL {
  if (import.meta.url.endsWith('.ts')) {
    bundled ??= new URL('git-helper.mjs', bundlePrograms({ 'git-helper': new URL('./git-helper.ts', import.meta.url) }));
    return bundled;
  }
  const beside = new URL('./git-helper.mjs', import.meta.url);
  return existsSync(beside) ? beside : new URL('../git-helper.mjs', import.meta.url);
}
