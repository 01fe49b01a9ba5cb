import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { hasCode, temporaryName } from './files.ts';

interface Output {
  readonly path: string;
  readonly contents: Uint8Array;
}

interface Esbuild {
  buildSync(options: object): { readonly outputFiles: readonly Output[] };
}

/**
 * For running from the sources: Node 20 cannot start a program from TypeScript. Each becomes `<name>.mjs` in a folder
 * named by their content: processes side by side share it, and a stale one is never used.
 */
export function bundlePrograms(programs: Readonly<Record<string, URL>>): URL {
  const esbuild = createRequire(import.meta.url)('esbuild') as Esbuild;
  const { outputFiles } = esbuild.buildSync({
    entryPoints: Object.fromEntries(Object.entries(programs).map(([name, url]) => [name, fileURLToPath(url)])),
    bundle: true,
    write: false,
    outdir: '/',
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'silent',
  });
  const cache = fileURLToPath(new URL('../../node_modules/.cache/fleet/', import.meta.url));
  const hash = outputFiles.reduce((sum, { contents }) => sum.update(contents), createHash('sha256')).digest('hex');
  const folder = `${cache}${hash.slice(0, 16)}/`;
  if (!existsSync(folder)) writeFolder(folder, outputFiles);
  return pathToFileURL(folder);
}

function writeFolder(folder: string, files: readonly Output[]): void {
  const temporary = temporaryName(folder.slice(0, -1));
  mkdirSync(temporary, { recursive: true });
  for (const { path, contents } of files) writeFileSync(`${temporary}/${basename(path)}`, contents);
  try {
    renameSync(temporary, folder);
  } catch (error) {
    rmSync(temporary, { recursive: true });
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  }
}
