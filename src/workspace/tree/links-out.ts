import { randomUUID } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { chmod, type FileHandle, lstat, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import { hasCode, makeDirectory } from '../../platform/files.ts';
import { realSite, type Site, sidecarDir } from '../site.ts';

/** A file with more than one name, and those of its names that are in the tree. As bytes: not every name is text. */
interface Linked {
  readonly found: BigIntStats;
  readonly paths: Buffer[];
}

const AT_ONCE = 64;
const PIECE = 256 * 1024;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const WRITE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Gives every file of the tree that has a name outside of it a content of its own, so that writing in the tree changes nothing
 * elsewhere; package managers link files out of their stores. Pipes and sockets with such names are taken away. Answers
 * how many names led out. Only for a tree in which nobody works: what is found and what is replaced is the same then.
 */
export async function breakLinksOut(asked: Site): Promise<number> {
  const site = await realSite(asked);
  const isOther = (path: Buffer) => path.equals(inside(Buffer.from(site.path), GIT));
  const names = (await leadingOut(site.path, { isOther, namesIn: namesInOpened, look })).flatMap(({ found, paths }) =>
    paths.map((path) => ({ found, path })),
  );
  await makeDirectory(sidecarDir(site.path));
  for (const { found, path } of names)
    await named(path, () => (found.isFile() ? makeOwn(site, path, found) : inWritable(path, () => unlink(path))));
  return names.length;
}

/** The first path in a directory of the user's by which a file elsewhere could be changed. Nothing is changed. */
export async function firstLinkOut(directory: string): Promise<string | undefined> {
  const [first] = await leadingOut(directory, { isOther: () => false, namesIn: namesSeen, look: lookMeanwhile });
  return first?.paths[0]?.toString('utf8');
}

interface Walk {
  /** What does not belong to the tree. */
  isOther(path: Buffer): boolean;
  namesIn(directory: Buffer): Promise<Buffer[]>;
  look(path: Buffer): Promise<BigIntStats | undefined>;
}

const leadingOut = async (directory: string, walk: Walk): Promise<Linked[]> =>
  [...(await linkedIn(directory, walk)).values()].filter(({ found, paths }) => found.nlink > BigInt(paths.length));

async function linkedIn(root: string, { isOther, namesIn, look: lookAt }: Walk): Promise<ReadonlyMap<string, Linked>> {
  const linked = new Map<string, Linked>();
  const directories: Buffer[] = [Buffer.from(root)];
  for (let directory = directories.pop(); directory !== undefined; directory = directories.pop()) {
    const here = directory;
    const names = await named(here, () => namesIn(here));
    const below = names.map((name) => inside(here, name)).filter((path) => !isOther(path));
    for (let at = 0; at < below.length; at += AT_ONCE) {
      const some = below.slice(at, at + AT_ONCE);
      const stats = await Promise.all(some.map((path) => named(path, () => lookAt(path))));
      for (const [n, path] of some.entries()) {
        const found = stats[n];
        if (found?.isDirectory()) directories.push(path);
        // What a link says cannot be changed, so it may have as many names as it likes.
        else if (found && found.nlink > 1n && !found.isSymbolicLink()) note(linked, path, found);
      }
    }
  }
  return linked;
}

const GIT = Buffer.from('.git');
const inside = (directory: Buffer, name: Buffer): Buffer => Buffer.concat([directory, Buffer.from('/'), name]);

function note(linked: Map<string, Linked>, path: Buffer, found: BigIntStats): void {
  const id = `${found.dev} ${found.ino}`;
  const known = linked.get(id) ?? { found, paths: [] };
  known.paths.push(path);
  linked.set(id, known);
}

const look = (path: Buffer): Promise<BigIntStats> => lstat(path, { bigint: true });

/** In a directory of the user's somebody may work meanwhile. */
const lookMeanwhile = (path: Buffer): Promise<BigIntStats | undefined> => look(path).catch(ifGone(undefined));

const ifGone =
  <Instead>(instead: Instead) =>
  (error: unknown): Instead => {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
    return instead;
  };

const read = (directory: Buffer): Promise<Buffer[]> => readdir(directory, { encoding: 'buffer' });

/** What nobody of the user's own has closed is closed to his agents too. */
const namesSeen = (directory: Buffer): Promise<Buffer[]> =>
  read(directory).catch(async (error: unknown) => {
    if (!hasCode(error, 'EACCES')) return ifGone<Buffer[]>([])(error);
    if ((await lookMeanwhile(directory))?.uid === BigInt(process.getuid?.() ?? -1)) throw error;
    return [];
  });

/** A directory that was made unreadable could hide anything. */
async function namesInOpened(directory: Buffer): Promise<Buffer[]> {
  return read(directory).catch(async (error: unknown) => {
    if (!hasCode(error, 'EACCES')) throw error;
    await chmod(directory, 0o700);
    return read(directory);
  });
}

/** A copy, complete, in the place of one of its names. */
async function makeOwn(site: Site, path: Buffer, found: BigIntStats): Promise<void> {
  const copy = join(sidecarDir(site.path), `copy-${randomUUID()}`);
  try {
    await copyTo(copy, path, found);
    await inWritable(path, () => rename(copy, path));
  } catch (error) {
    await rm(copy, { force: true });
    throw error;
  }
}

async function copyTo(copy: string, path: Buffer, found: BigIntStats): Promise<void> {
  await using from = await open(path, READ);
  const now = await from.stat({ bigint: true });
  if (!now.isFile() || now.ino !== found.ino || now.dev !== found.dev)
    throw new Fault('unavailable', `${path.toString('utf8')} was replaced while it was copied`);
  await using to = await open(copy, WRITE, 0o600);
  await pour(from, to);
  if (process.getuid?.() === 0) await to.chown(Number(found.uid), Number(found.gid));
  await to.chmod(Number(found.mode) & 0o777);
  await to.utimes(Number(found.atimeMs) / 1_000, Number(found.mtimeMs) / 1_000);
}

async function pour(from: FileHandle, to: FileHandle): Promise<void> {
  const buffer = Buffer.allocUnsafe(PIECE);
  for (let { bytesRead } = await from.read(buffer, 0, PIECE, null); bytesRead > 0; ) {
    await to.writeFile(buffer.subarray(0, bytesRead));
    ({ bytesRead } = await from.read(buffer, 0, PIECE, null));
  }
}

/** Some package managers make their directories read-only. */
async function inWritable(path: Buffer, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!hasCode(error, 'EACCES')) throw error;
    const directory = path.subarray(0, path.lastIndexOf('/'));
    const { mode } = await stat(directory);
    await chmod(directory, (mode & 0o777) | 0o700);
    await act();
    await chmod(directory, mode & 0o777);
  }
}

/** What nobody may look at is said with its name; what the machine refuses is not its fault. */
async function named<Answer>(path: Buffer, act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Error) || !hasCode(error, 'EACCES', 'EPERM', 'ENAMETOOLONG', 'ENOTDIR', 'ENOENT')) throw error;
    const what = `${path.toString('utf8')} may lead out of its workspace and cannot be looked at: ${error.message}`;
    throw new Fault('invalid', what, {}, { cause: error });
  }
}
