import { stat } from 'node:fs/promises';
import { askVersion } from '../platform/ask-version.ts';

type Env = Readonly<Record<string, string | undefined>>;

interface Said {
  readonly version?: string;
  readonly problem?: string;
}

/** On a busy machine the slowest agents need some seconds; one that is silent for longer than this hangs. */
const TIMEOUT_MS = 10_000;
/** Starting a program holds the loop up for a moment: a few at a time. */
const AT_ONCE = 4;
/** An answer holds as long as the file is the same; what went wrong is asked again after this long. */
const AGAIN_MS = 30_000;

/** Asks programs for their versions, each once for as long as it stays the same, however many people look. */
export function versionAsker(env: Env, timeoutMs = TIMEOUT_MS): (path: string, args: readonly string[]) => Promise<Said> {
  const known = new Map<string, { readonly mark: string; readonly at: number; readonly said: Promise<Said> }>();
  const turn = turns(AT_ONCE);
  return async (path, args) => {
    const found = await stat(path).catch(() => undefined);
    const mark = `${found?.ino} ${found?.size} ${found?.mtimeMs} ${args.join(' ')}`;
    const before = known.get(path);
    const isFresh =
      before?.mark === mark && (performance.now() - before.at < AGAIN_MS || (await before.said).problem === undefined);
    if (before && isFresh) return before.said;
    const said = turn(() => asked(path, args, { env, timeoutMs }));
    known.set(path, { mark, at: performance.now(), said });
    return said;
  };
}

async function asked(path: string, args: readonly string[], how: { env: Env; timeoutMs: number }): Promise<Said> {
  const told = await askVersion(path, args, how);
  if (!told.found) return { problem: 'is gone' };
  const { found: _, path: __, ...said } = told;
  return said;
}

/** At most so many at once; the others wait for their turn. */
function turns(most: number): <Value>(work: () => Promise<Value>) => Promise<Value> {
  const lanes: Promise<unknown>[] = Array.from({ length: most }, () => Promise.resolve());
  let next = 0;
  return (work) => {
    const lane = next++ % most;
    const done = (lanes[lane] ?? Promise.resolve()).then(work);
    lanes[lane] = done.catch(() => undefined);
    return done;
  };
}
