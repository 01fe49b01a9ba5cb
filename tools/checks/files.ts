import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const skipped = new Set(['node_modules', 'dist', 'coverage', '.git', '.cache']);

/** Every file under `folder`, relative to `root`, with forward slashes. */
export function filesUnder(root: string, folder = '.'): string[] {
  const start = join(root, folder);
  if (!existsSync(start)) return [];
  return readdirSync(start, { withFileTypes: true }).flatMap((entry) => {
    const path = relative(root, join(start, entry.name)).split(sep).join('/');
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesUnder(root, path);
    return entry.isFile() ? [path] : [];
  });
}

/** What a commit would hold: tracked files and new ones that are not ignored. Outside a repository, everything. */
export function committedFiles(root: string): string[] {
  if (!existsSync(join(root, '.git'))) return filesUnder(root);
  const listed = execFileSync('git', ['-C', root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  });
  return listed.split('\0').filter((path) => path !== '' && existsSync(join(root, path)));
}

export const codeFiles = (root: string): string[] =>
  ['src', 'test', 'tools', 'bench', 'web']
    .flatMap((folder) => filesUnder(root, folder))
    .filter((path) => /[.](ts|tsx|mjs|js)$/.test(path));

export const isTest = (path: string): boolean =>
  /[.]test[.]tsx?$/.test(path) || /\/(conformance|fixtures)\//.test(path) || path.startsWith('test/');
