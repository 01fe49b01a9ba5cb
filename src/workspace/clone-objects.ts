import { constants } from 'node:fs';
import { link, lstat, mkdir, open, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Fault } from '../domain/fault.ts';

const MAX_FILES = 100_000;
const MAX_BYTES = 4 * 1024 ** 3;

/**
 * The objects of a clone an agent could write, put below `to`: plain files with the names objects have, and nothing else. Its
 * list of other stores is left behind, so it cannot lend us what lies elsewhere. What the bytes are worth is for
 * the fetch to find out.
 */
export async function copyObjects(from: string, to: string): Promise<void> {
  const found = await lstat(from).catch(() => undefined);
  if (!found?.isDirectory()) throw new Fault('invalid', `${from} is not the directory it was made as`);
  let [files, bytes] = [0, 0];
  for (const directory of await readdir(from, { withFileTypes: true })) {
    const wanted = directory.name === 'pack' ? PACKS : /^[0-9a-f]{2}$/.test(directory.name) ? LOOSE : undefined;
    if (wanted === undefined || !directory.isDirectory()) continue;
    await mkdir(join(to, directory.name), { recursive: true });
    for (const { name } of await readdir(join(from, directory.name), { withFileTypes: true })) {
      if (!wanted.test(name)) continue;
      files += 1;
      bytes += await take(join(from, directory.name, name), join(to, directory.name, name));
      if (files > MAX_FILES || bytes > MAX_BYTES) {
        throw new Fault('limit', `the clone holds more than ${MAX_FILES} files or ${MAX_BYTES / 1024 ** 3} GiB of new objects`);
      }
    }
  }
}

const PACKS = /^pack-[0-9a-f]{40,64}\.(pack|idx)$/;
const LOOSE = /^[0-9a-f]{38,62}$/;

/** Bytes taken. A second name for the same file costs nothing; a copy where that cannot be. Neither follows a link. */
async function take(from: string, to: string): Promise<number> {
  const isLinked = await link(from, to).then(
    () => true,
    () => false,
  );
  if (!isLinked) return copyPlain(from, to);
  const made = await lstat(to);
  if (made.isFile()) return made.size;
  await unlink(to);
  return 0;
}

async function copyPlain(from: string, to: string): Promise<number> {
  const file = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return 0;
  try {
    const found = await file.stat();
    if (!found.isFile()) return 0;
    if (found.size > MAX_BYTES) return found.size;
    const copy = await open(to, 'wx', 0o400);
    await pipeline(file.createReadStream({ autoClose: false, end: found.size }), copy.createWriteStream());
    return found.size;
  } finally {
    await file.close();
  }
}
