import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inspect, realPath } from './inspect.ts';

interface Known {
  readonly mark: string;
  readonly at: number;
}

type Usable = { readonly real: string } | { readonly why: string };

/** What git is configured to distrust may change without a trace here: after this long it is asked again. */
const HOLDS_MS = 60_000;
const MOST = 10_000;

/**
 * Whether work can be done in a directory. Where a path leads is looked up each time, links and all. What git says of that
 * place holds while directory and repository are the same files of the same owners: git is a process, and many tasks are
 * made in one place. What is refused is looked at anew each time, because somebody is about to repair it. Whoever asks in the
 * same turn of the loop is told the same.
 */
export function usablePlaces(env: NodeJS.ProcessEnv): (path: string) => Promise<Usable> {
  const known = new Map<string, Known>();
  const look = async (path: string): Promise<Usable> => {
    const real = await realPath(path);
    const mark = real === undefined ? undefined : markOf(real);
    const before = real === undefined ? undefined : known.get(real);
    if (real !== undefined && before && before.mark === mark && performance.now() - before.at < HOLDS_MS) return { real };
    const place = await inspect(path, env);
    if (place.kind === 'unusable') return { why: place.why };
    const now = (await realPath(path)) ?? place.path;
    const after = markOf(now);
    if (known.size >= MOST) known.clear();
    if (after !== undefined) known.set(now, { mark: after, at: performance.now() });
    return { real: now };
  };
  const looks = new Map<string, Promise<Usable>>();
  return (path) => {
    const begun = looks.get(path);
    if (begun) return begun;
    if (looks.size === 0) setImmediate(() => looks.clear());
    const now = look(path);
    looks.set(path, now);
    return now;
  };
}

/** The directory, and the nearest `.git` at or above it; undefined for what is no directory. Looks at names only: microseconds. */
function markOf(real: string): string | undefined {
  const own = identityOf(real);
  if (own === undefined) return undefined;
  for (let at = real; ; at = dirname(at)) {
    const git = identityOf(join(at, '.git'), false);
    if (git !== undefined) return `${own} ${at} ${git}`;
    if (dirname(at) === at) return own;
  }
}

function identityOf(path: string, isDirectory = true): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found || (isDirectory && !found.isDirectory())) return undefined;
    return `${found.dev}/${found.ino}/${found.uid}/${found.mode}`;
  } catch {
    return undefined;
  }
}
