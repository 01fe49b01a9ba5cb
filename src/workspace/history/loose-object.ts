import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { Fault } from '../../domain/fault.ts';
import { exists } from '../../platform/files.ts';
import { readRegular } from '../../platform/read-safely.ts';

/** More than any commit needs; what is larger is git's to read. */
const MAX_BYTES = 1024 * 1024;
const READ_ONLY = 0o444;

const [pack, unpack] = [promisify(deflate), promisify(inflate)];

/**
 * Commits that lie in files of their own, read and written without a process. A commit made lately lies so; one that
 * has been packed is not seen here, and git has to be asked.
 */
export async function treeOfLoose(objects: string, commit: string): Promise<string | undefined> {
  try {
    const read = await readRegular(placeOf(objects, commit), MAX_BYTES);
    if ('why' in read) return undefined;
    const bytes = await unpack(read.bytes, { maxOutputLength: MAX_BYTES });
    return /^commit \d+\0tree ([0-9a-f]+)\n/.exec(bytes.toString('latin1'))?.[1];
  } catch {
    return undefined;
  }
}

/** As `git hash-object -w -t commit` would: under a name that git sweeps if we die, then in one step under its own. */
export async function writeCommit(objects: string, text: string, hash: 'sha1' | 'sha256'): Promise<string> {
  const body = Buffer.from(text);
  const bytes = Buffer.concat([Buffer.from(`commit ${body.length}\0`), body]);
  const id = createHash(hash).update(bytes).digest('hex');
  const place = placeOf(objects, id);
  if (await exists(place)) return id;
  const temporary = join(dirname(place), `tmp_obj_${randomUUID()}`);
  try {
    await mkdir(dirname(place), { recursive: true });
    await writeFile(temporary, await pack(bytes), { flag: 'wx', mode: READ_ONLY });
    await rename(temporary, place);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw new Fault('unavailable', `cannot write the commit ${place}: ${(error as Error).message}`, {}, { cause: error });
  }
  return id;
}

const placeOf = (objects: string, id: string): string => join(objects, id.slice(0, 2), id.slice(2));
