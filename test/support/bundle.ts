import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundlePrograms } from '../../src/store/sqlite/bundle-worker.ts';
import { root } from '../../tools/paths.mjs';

/** A program of the tests as one file that plain Node starts fast, with the database thread beside it. */
export function bundled(source: string): string {
  const name = basename(source, '.ts');
  return fileURLToPath(new URL(`${name}.mjs`, bundlePrograms({ [name]: pathToFileURL(join(root, source)) })));
}
