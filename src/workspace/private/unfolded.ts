import { PassThrough } from 'node:stream';
import { Fault } from '../../domain/fault.ts';
import { limitedGit } from '../git/limited-git.ts';
import type { GitLocation } from '../git/location.ts';
import type { IntakeBounds } from './bounds.ts';

interface Asked {
  readonly place: GitLocation;
  readonly env: NodeJS.ProcessEnv;
  readonly bounds: IntakeBounds;
  readonly tips: readonly string[];
  /** What was checked out when the work began: everything in it is known. */
  readonly base: string;
}

/**
 * No commit changes more files than may be taken, nor more bytes in one, as they would lie on a disk: a tree can be in another
 * ten times, and that in the next, so that a pack of a kilobyte is a checkout of a terabyte and a comparison without end.
 */
export async function assertBounded({ place, env, bounds, tips, base }: Asked, signal: AbortSignal): Promise<void> {
  const asked = tips.filter((tip) => tip !== base);
  if (asked.length === 0) return;
  const ending = new AbortController();
  let why: string | undefined;
  const refuse = (words: string): void => {
    why ??= words;
    ending.abort();
  };
  const call = { signal: AbortSignal.any([signal, ending.signal]), memoryBytes: bounds.memoryBytes };
  const ids = new PassThrough();
  const list = ['diff-tree', '--stdin', '-r', '-z', '--raw', '--no-renames', '--no-abbrev'];
  const sizes = ['cat-file', '--batch-check=%(objecttype) %(objectsize)'];
  const [listed, sized] = await Promise.all([
    limitedGit(place, list, env, {
      ...call,
      input: asked.map((tip) => `${tip} ${base}\n`).join(''),
      onOutput: listing(bounds.files, (id) => ids.write(`${id}\n`), refuse),
    }).finally(() => ids.end()),
    limitedGit(place, sizes, env, { ...call, input: ids, onOutput: adding(bounds.allBytes, refuse) }),
  ]);
  const failed = [listed, sized].find(({ code }) => code !== 0);
  why ??= failed && `its files cannot be counted: ${failed.err.slice(0, 300) || `git ended with ${failed.code}`}`;
  if (why !== undefined) throw new Fault('conflict', `what was handed in was not taken: ${why}`);
}

/** Cuts a stream into parts that end with a mark. */
function parts(mark: string, onPart: (part: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const found = (rest + text).split(mark);
    rest = found.pop() ?? '';
    for (const part of found) onPart(part);
  };
}

const CHANGE = /^:\d+ (\d+) [0-9a-f]+ ([0-9a-f]+) /;
const [GONE, LINK] = ['000000', '160000'];

/** `COMMIT NUL` and then for each file `:MODE MODE ID ID STATUS NUL NAME NUL`: what stands there, in this order. */
function listing(most: number, onId: (id: string) => void, refuse: (why: string) => void): (text: string) => void {
  let [isName, files] = [false, 0];
  return parts('\0', (part) => {
    if (isName) {
      isName = false;
      return;
    }
    const [, mode, id] = CHANGE.exec(part) ?? [];
    isName = id !== undefined;
    if (isName) files += 1;
    else files = 0;
    if (files > most) refuse(`a commit changes more than ${most} files`);
    else if (mode !== GONE && mode !== LINK) onId(id ?? part);
  });
}

/** `TYPE SIZE` of each: a commit, and then the files of it. */
function adding(most: number, refuse: (why: string) => void): (text: string) => void {
  let bytes = 0;
  return parts('\n', (line) => {
    const [type, size] = line.split(' ');
    bytes = type === 'blob' ? bytes + Number(size) : 0;
    if (bytes > most) refuse(`the files that a commit changes have more than ${most} bytes`);
  });
}
