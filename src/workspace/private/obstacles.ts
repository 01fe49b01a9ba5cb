import { type Dirent, lstatSync, readdirSync } from 'node:fs';

/** Read by git in every directory, without a look at what they are. */
const READ = new Set(['.gitignore', '.gitattributes']);
/** Of a repository inside of the tree. */
const READ_INSIDE = ['HEAD', 'commondir', 'config', 'packed-refs'];

/** A pipe where git reads a file would hold it for as long as it is let. */
export function refuseObstacles(tree: string): void {
  look(Buffer.from(tree), true);
}

function look(directory: Buffer, isTop: boolean): void {
  for (const entry of entriesOf(directory)) {
    const path = Buffer.concat([directory, Buffer.from('/'), entry.name as unknown as Buffer]);
    const name = (entry.name as unknown as Buffer).toString('latin1');
    if (name === '.git') {
      if (!isTop) refuseInside(path);
    } else if (entry.isDirectory()) look(path, false);
    else if (READ.has(name) && !entry.isFile() && !entry.isSymbolicLink()) refuse(path);
  }
}

function refuseInside(repository: Buffer): void {
  if (isOdd(repository)) refuse(repository);
  for (const name of READ_INSIDE) {
    const path = Buffer.concat([repository, Buffer.from(`/${name}`)]);
    if (isOdd(path)) refuse(path);
  }
}

function isOdd(path: Buffer): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory() && !found.isSymbolicLink();
}

function refuse(path: Buffer): never {
  throw new Error(`${path.toString('utf8')} is a pipe or a device, and git would wait for it`);
}

/** One that cannot be entered holds nothing that git would read. */
function entriesOf(directory: Buffer): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true, encoding: 'buffer' }) as unknown as Dirent[];
  } catch {
    return [];
  }
}
