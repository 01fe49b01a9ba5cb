import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lchownSync,
  lstatSync,
  openSync,
  readdirSync,
} from 'node:fs';
import { O_PATH } from '../platform/safe-place.ts';
import type { SandboxUser } from './user.ts';

/** One file or directory of Fleet's own that a sandbox shows. */
export interface LentFile {
  readonly path: string;
  /** `write`: it becomes the user's own. `read`: everybody may read it who can come near, which nobody can but through the sandbox. */
  readonly as: 'read' | 'write';
}

/** What lies deeper was made by an agent and is its own already; each level holds a descriptor. */
const DEEPEST = 256;

/**
 * Makes what root has made usable for the user of a sandbox, with everything below. An agent may have been there before: no link
 * is followed, every directory is held open while it is walked, and a file with several names stays as it is, because one of them
 * may lie elsewhere.
 */
export function lend(lent: readonly LentFile[], user: SandboxUser): void {
  const theirs = new Set<string>();
  const isTheirs = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.uid === user.uid;
  const give: Change = (path, { uid, gid }) => {
    if (uid !== BigInt(user.uid) || gid !== BigInt(user.gid)) lchownSync(path, user.uid, user.gid);
  };
  for (const { path } of lent.filter(({ as }) => as === 'write'))
    walk(Buffer.from(path), give, { depth: 0, skip: new Set() }, theirs);
  for (const { path } of lent.filter((one) => one.as === 'read' && !isTheirs(one.path)))
    walk(Buffer.from(path), show, { depth: 0, skip: theirs });
}

type Change = (path: Buffer, found: BigIntStats) => void;

interface Walk {
  readonly depth: number;
  /** Directories that were walked before. */
  readonly skip: ReadonlySet<string>;
}

function walk(path: Buffer, change: Change, { depth, skip }: Walk, seen?: Set<string>): void {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (!found || skip.has(idOf(found)) || depth > DEEPEST) return;
  if (!found.isDirectory()) return found.nlink > 1n ? undefined : change(path, found);
  const held = openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const at = `/proc/self/fd/${held}/`;
    seen?.add(idOf(found));
    change(Buffer.from(`${at}.`), fstatSync(held, { bigint: true }));
    for (const name of readdirSync(at, { encoding: 'buffer' }))
      walk(Buffer.concat([Buffer.from(at), name]), change, { depth: depth + 1, skip });
  } finally {
    closeSync(held);
  }
}

const idOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

/** Whoever may read or search it as its owner may do so as anybody. */
function show(path: Buffer, found: BigIntStats): void {
  const mode = Number(found.mode) & 0o7777;
  const wanted = mode | ((mode & 0o500) >> 6) | ((mode & 0o500) >> 3);
  if (wanted === mode || !(found.isFile() || found.isDirectory() || found.isSocket())) return;
  const held = openSync(path, O_PATH | constants.O_NOFOLLOW);
  try {
    if (idOf(fstatSync(held, { bigint: true })) === idOf(found)) chmodSync(`/proc/self/fd/${held}`, wanted);
  } finally {
    closeSync(held);
  }
}
