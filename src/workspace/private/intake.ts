import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Fault } from '../../domain/fault.ts';
import { type GitEnd, type GitOptions, git } from '../git/git.ts';
import { limitedGit } from '../git/limited-git.ts';
import { fleetsOwn, type GitLocation } from '../git/location.ts';
import { isId } from '../land/target.ts';
import type { IntakeBounds } from './bounds.ts';
import type { CollectorClaims } from './collector-wire.ts';
import { linkPacks } from './history.ts';
import type { PrivatePlaces } from './places.ts';
import { assertBounded } from './unfolded.ts';

/** A pack that is in a store of its own until everything about it is proved. */
export interface Quarantine {
  readonly places: PrivatePlaces;
  /** Objects of the pack; they see those of the history and no others. */
  readonly objects: string;
  readonly env: NodeJS.ProcessEnv;
  readonly bounds: IntakeBounds;
}

const at = ({ places, objects }: Quarantine): GitLocation =>
  fleetsOwn({ gitDir: places.store, objects, alternates: [places.history] });

const gitAt = (quarantine: Quarantine, args: readonly string[], options: Omit<GitOptions, 'mode'>): Promise<GitEnd> =>
  git(at(quarantine), args, quarantine.env, { mode: 'closed', ...options });

/** Takes a pack from a stream; what is wrong with it is thrown. The caller ends it by `signal`. */
export async function indexPack(quarantine: Quarantine, pack: Readable, signal: AbortSignal): Promise<void> {
  const { packBytes, memoryBytes } = quarantine.bounds;
  const args = ['index-pack', '--stdin', '--fix-thin', '--strict', `--max-input-size=${packBytes}`];
  const { code, err } = await limitedGit(at(quarantine), args, quarantine.env, { input: pack, signal, memoryBytes });
  if (code !== 0)
    throw new Fault('conflict', `the objects are not sound and were not taken in: ${err || `it ended with ${code}`}`);
}

const SNAPSHOT =
  /^tree [0-9a-f]+\n(?:parent ([0-9a-f]+)\n)?author fleet <fleet> 0 \+0000\ncommitter fleet <fleet> 0 \+0000\n\nsnapshot\n$/;

export interface Proved {
  readonly tree: string;
  /** The tree of the agent's last commit. */
  readonly headTree?: string | undefined;
}

/** What Fleet itself knows of a clone, and compares with what is said. */
export interface KnownToIntake {
  /** What was checked out when the work began. */
  readonly base: string;
  /** Commits that were proved before. */
  readonly known: readonly string[];
  /** On what the snapshot is to stand. */
  readonly parent: string | undefined;
}

/**
 * What was said is true of the objects that are here: each is a commit, the snapshot one of a collector's, nothing is missing,
 * and nothing unfolds into more than anybody can lay out.
 */
export async function proveClaims(
  quarantine: Quarantine,
  said: CollectorClaims,
  facts: KnownToIntake,
  signal: AbortSignal,
): Promise<Proved> {
  const { snap, head, branch, also } = said;
  const tips = [snap, ...[head, branch].filter((id) => id !== undefined), ...also.map(([, id]) => id)];
  if (!tips.every(isId)) throw refused('it names no commit');
  const asked = [`contents ${snap}`, ...[`${snap}^{tree}`, `${head ?? snap}^{tree}`, ...tips].map((name) => `info ${name}`)];
  const input = asked.map((line) => `${line}\n`).join('');
  const fresh = [...new Set(tips)].filter((tip) => !facts.known.includes(tip));
  const [found, ...proofs] = await Promise.allSettled([
    gitAt(quarantine, ['cat-file', '--batch-command'], { input }),
    assertWhole(quarantine, { tips, known: facts.known }, signal),
    assertBounded({ ...quarantine, place: at(quarantine), tips: fresh, base: facts.base }, signal),
  ]);
  if (found.status === 'rejected') throw found.reason as Error;
  for (const proof of proofs) if (proof.status === 'rejected') throw proof.reason as Error;
  const end = found.value;
  if (end.code !== 0) throw refused(end.err || 'what it names cannot be read');
  const { text, lines } = parted(end.out.toString('latin1'), snap);
  const shape = SNAPSHOT.exec(text);
  if (!shape || shape[1] !== facts.parent) throw refused('its snapshot is none that a collector makes');
  const [tree, headTree, ...types] = lines.map((line) => /^([0-9a-f]+) (commit|tag|tree) \d+$/.exec(line));
  if (tree?.[2] !== 'tree' || headTree?.[2] !== 'tree') throw refused('what it names is not there');
  const isCommit = (n: number): boolean =>
    types[n]?.[2] === 'commit' || (types[n]?.[2] === 'tag' && n >= tips.length - also.length);
  if (!tips.every((_, n) => isCommit(n))) throw refused('what it names is no commit, or is not there');
  return { tree: tree[1] ?? '', ...(head === undefined ? {} : { headTree: headTree[1] }) };
}

/** The content of the first answer, and the lines of the others. */
function parted(out: string, snap: string): { readonly text: string; readonly lines: readonly string[] } {
  const [, size] = new RegExp(`^${snap} commit (\\d{1,6})\\n`).exec(out) ?? [];
  if (size === undefined) throw refused('its snapshot is no commit, or is not there');
  const begin = out.indexOf('\n') + 1;
  const text = out.slice(begin, begin + Number(size));
  return {
    text,
    lines: out
      .slice(begin + Number(size) + 1)
      .trimEnd()
      .split('\n'),
  };
}

async function assertWhole(
  quarantine: Quarantine,
  { tips, known }: { readonly tips: readonly string[]; readonly known: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  const input = [...tips, ...known.map((id) => `^${id}`)].map((line) => `${line}\n`).join('');
  const args = ['rev-list', '--objects', '--quiet', '--stdin'];
  const { memoryBytes } = quarantine.bounds;
  const { code, err } = await limitedGit(at(quarantine), args, quarantine.env, { input, signal, memoryBytes });
  if (code !== 0) throw refused(`something that belongs to it is missing, or it is too much: ${err.slice(0, 300)}`);
}

const refused = (why: string): Fault => new Fault('conflict', `what was handed in was not taken: ${why}`);

/** The pack becomes part of Fleet's own store, and of what the clone is shown. */
export async function admit({ places, objects }: Quarantine): Promise<void> {
  const names = (await readdir(join(objects, 'pack'))).filter((name) => name.endsWith('.idx')).map((name) => name.slice(0, -4));
  for (const to of [places.history, join(places.store, 'objects')])
    await linkPacks(join(objects, 'pack'), names, join(to, 'pack'));
}
