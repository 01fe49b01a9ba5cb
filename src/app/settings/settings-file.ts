import { open, readFile, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import { hasCode, writeFileAtomic } from '../../platform/files.ts';
import { readAssignment } from './assignment.ts';
import { editSettings } from './edit-settings.ts';
import { withFileLock } from './file-lock.ts';
import type { Judge } from './known-executors.ts';
import { type FileValues, lineOf, type Parsed, parseSettings } from './parse-settings.ts';

/** The text of the file; undefined when there is none. No more of it is read than a settings file may have. */
export async function readText(path: string): Promise<string | undefined> {
  const found = await stat(path).catch((error: unknown) => (hasCode(error, 'ENOENT') ? undefined : Promise.reject(error)));
  if (!found) return undefined;
  // Opening a pipe would wait for a writer for ever.
  if (!found.isFile()) throw new Error('it is not a file');
  const handle = await open(path, 'r');
  try {
    const most = LIMITS.settingsBytes.value;
    const bytes = Buffer.alloc(most + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length <= most; length += read) {
      ({ bytesRead: read } = await handle.read(bytes, length, bytes.length - length, length));
    }
    return bytes.toString('utf8', 0, length);
  } finally {
    await handle.close();
  }
}

/** Never throws: a file that cannot be read is a bad file. A missing one says nothing, which is good. */
export async function readSettingsFile(
  path: string,
  judge: Judge = () => undefined,
): Promise<Parsed & { readonly text: string | undefined }> {
  try {
    const text = await readText(path);
    return { ...judged(parseSettings(text ?? '', path), { text: text ?? '', path, judge }), text };
  } catch (error) {
    return {
      good: false,
      problem: `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      text: undefined,
    };
  }
}

function judged(parsed: Parsed, { text, path, judge }: { text: string; path: string; judge: Judge }): Parsed {
  const problem = parsed.good ? judge(parsed.values) : undefined;
  return problem ? { good: false, problem: `${path} line ${lineOf(text, problem.name)}: ${problem.why}` } : parsed;
}

/** Makes all the assignments or none. Two processes at once wait for each other, so neither undoes the other's change. */
export async function writeSettingsFile(path: string, raw: readonly string[], judge: Judge = () => undefined): Promise<void> {
  const assignments = raw.map(readAssignment);
  try {
    await withFileLock(`${path}.lock`, async () => {
      const text = (await readText(path)) ?? '';
      const before = parseSettings(text, path);
      const after = before.good ? editSettings(text, assignments) : refuse(before.problem);
      const checked = parseSettings(after, path);
      if (!checked.good) return refuse(checked.problem);
      const problem = judge(checked.values);
      if (problem) throw new Fault('invalid', `nothing was changed: ${problem.why}`, { name: problem.name });
      // A link to a file kept elsewhere stays a link.
      if (after !== text) await writeFileAtomic(await realpath(path).catch(() => path), after);
    });
  } catch (error) {
    if (error instanceof Fault || !hasCode(error, 'ENOENT', 'EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOTDIR', 'EDQUOT', 'EISDIR'))
      throw error;
    const isFull = hasCode(error, 'ENOSPC', 'EDQUOT');
    const hint = hasCode(error, 'ENOENT')
      ? 'make the home first: fleet init'
      : isFull
        ? 'free some space and try again'
        : 'see that this user may write there';
    throw new Fault(
      'unavailable',
      `cannot write ${path}: ${error instanceof Error ? error.message : ''}`,
      { hint },
      { cause: error },
    );
  }
}

function refuse(problem: string): never {
  throw new Fault('invalid', `nothing was changed: ${problem}`, { hint: 'mend the file by hand first' });
}

/*
 * A good file is remembered beside the real one. A process that starts while the file is broken then still knows, for
 * example, which directories are allowed.
 */

export async function lastGood(path: string): Promise<FileValues | undefined> {
  const text = await readFile(rememberedAs(path), 'utf8').catch(() => undefined);
  const parsed = text === undefined ? undefined : parseSettings(text, path);
  return parsed?.good ? parsed.values : undefined;
}

/** Best effort: a home that cannot be written to has no memory. Whether the file is remembered now. */
export async function rememberGood(path: string, text: string | undefined): Promise<boolean> {
  const memory = rememberedAs(path);
  try {
    const known = await readFile(memory, 'utf8').catch(() => undefined);
    if (known === text) return true;
    if (text === undefined) await rm(memory, { force: true });
    else await writeFileAtomic(memory, text);
    return true;
  } catch {
    return false;
  }
}

const rememberedAs = (path: string): string => join(dirname(path), `.last-good-${basename(path)}`);
