import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../domain/limits.ts';
import type { Told } from '../domain/work/report.ts';
import { hasCode } from '../platform/files.ts';
import { LONGEST_BLOCK } from '../platform/redact-block.ts';

/**
 * What an agent has left as its result. The file is the agent's: it may be a link, a pipe, far too long, or nonsense, and
 * none of that may block us, be followed, or be believed.
 */
export async function readResult(runDirectory: string, redact: (text: string) => string): Promise<Told['file']> {
  // In a sandbox the run directory it sees is another one.
  return (await resultIn(runDirectory, redact)) ?? resultIn(join(runDirectory, 'box'), redact);
}

async function resultIn(directory: string, redact: (text: string) => string): Promise<Told['file']> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    await using handle = await open(join(directory, 'result.json'), flags);
    const { size } = await handle.stat().then((found) => (found.isFile() ? found : { size: -1 }));
    if (size < 0) return { problem: 'invalid_result: result.json is not a regular file' };
    if (size > LIMITS.resultBytes.value)
      return { problem: `invalid_result: result.json is ${size} bytes long, at most ${LIMITS.resultBytes.value} are read` };
    return parsed(redact(await readFile(handle, 'utf8')));
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    return {
      problem: `invalid_result: result.json cannot be read (${hasCode(error, 'ELOOP') ? 'it is a link' : String(error)})`,
    };
  }
}

function parsed(text: string): Told['file'] {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { value } : { problem: 'invalid_result: result.json holds no JSON object' };
  } catch {
    return { problem: `invalid_result: result.json is not JSON: it begins with ${JSON.stringify(text.slice(0, 40))}` };
  }
}

/** The end of what a run printed on both streams. */
export async function lastOutput(runDirectory: string, redact: (text: string) => string, mostBytes?: number): Promise<string> {
  const [out, err] = await Promise.all(['out', 'err'].map((stream) => tailOf(join(runDirectory, stream), redact, mostBytes)));
  return [out, err].filter((text) => text !== '').join('\n');
}

/** The end of what a run printed where errors go. */
export const lastError = (runDirectory: string, redact: (text: string) => string): Promise<string> =>
  tailOf(join(runDirectory, 'err'), redact);

/** More is read than is shown: what is cut first would not be seen to be a secret. */
async function tailOf(path: string, redact: (text: string) => string, most = LIMITS.evidenceBytes.value): Promise<string> {
  try {
    await using handle = await open(path, 'r');
    const { size } = await handle.stat();
    const length = Math.min(size, most + LONGEST_BLOCK);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    const text = redact(size > length ? fromWholeLine(buffer.toString('utf8')) : buffer.toString('utf8'));
    return (text.length > most ? fromWholeLine(text.slice(-most)) : text).trimEnd();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return '';
    throw error;
  }
}

/** Begins with a whole line, unless there is only one. */
const fromWholeLine = (text: string): string => text.slice(text.indexOf('\n') + 1);
