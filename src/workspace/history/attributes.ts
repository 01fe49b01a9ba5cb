import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { answered } from '../git/git.ts';
import type { ScratchGitDir } from '../git/scratch-git-dir.ts';

const FILE = '.gitattributes';
/** Attribute files past this many are not looked for: a merge of that many files is judged without them. */
const MAX_FILES = 500;

/**
 * A working tree that holds nothing but the attribute files of `commit` that speak of these paths; undefined when there are
 * none. Drivers they name are not defined in a scratch git directory: git then merges as text.
 */
export async function attributesFor(side: ScratchGitDir, commit: string, paths: readonly string[]): Promise<string | undefined> {
  const wanted = [...new Set(paths.flatMap(filesFor))].slice(0, MAX_FILES);
  if (wanted.length === 0) return undefined;
  const listed = answered(
    await side.run(['ls-tree', '-z', commit, '--', ...wanted]),
    `read the attributes of ${commit}`,
    'not_found',
  );
  const found = listed
    .toString('utf8')
    .split('\0')
    .flatMap((line) => /^100\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(line)?.slice(1, 3) ?? []);
  if (found.length === 0) return undefined;
  const workTree = await side.room();
  for (let at = 0; at < found.length; at += 2) {
    const [id = '', path = ''] = found.slice(at, at + 2);
    const text = answered(await side.run(['cat-file', 'blob', id]), `read ${path}`, 'not_found');
    await mkdir(join(workTree, dirname(path)), { recursive: true });
    await writeFile(join(workTree, path), text);
  }
  return workTree;
}

/** The attribute file beside a path, and those of every directory above it. */
function filesFor(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return [FILE, ...parts.map((_, depth) => [...parts.slice(0, depth + 1), FILE].join('/'))];
}
