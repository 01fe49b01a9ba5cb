/**
 * Turns what an agent left in a private clone into one snapshot and one pack. It runs where nothing can be written but a
 * scratch directory and nothing can be reached: whatever it is made to do by the files it reads, it can only lie about them.
 *
 * Argument: a file with a `Wish` as JSON. Descriptor 3: `Said`, as JSON. Standard output: the pack.
 */
import { closeSync, readFileSync, writeFileSync } from 'node:fs';
import { collectorGit } from './collector-git.ts';
import { packOf } from './collector-pack.ts';
import { refsOf } from './collector-refs.ts';
import { snapshotOf } from './collector-snapshot.ts';
import type { CollectorClaims, CollectorRequest } from './collector-wire.ts';
import { refuseObstacles } from './obstacles.ts';

/** A byte that is no text becomes three. */
const MOST_GROWN = 4;

try {
  const wish = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as CollectorRequest;
  refuseObstacles(wish.tree);
  const git = collectorGit(wish);
  const refs = refsOf(git);
  const { tree, conflicts, left } = await snapshotOf(git, refs.head);
  const snap = git.commit(tree, wish.mode === 'full' ? refs.head : wish.parent);
  const said: CollectorClaims = { ...refs, snap, conflicts, left: toldOf(left, wish.limits) };
  writeFileSync(3, JSON.stringify(said));
  closeSync(3);
  packOf(git, [snap, refs.branch, ...refs.also.map(([, id]) => id)]);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 21;
}

/** As text, the first of them, and what is left of a name that is longer than git takes any. */
function toldOf(names: readonly string[], { left: most, nameBytes }: CollectorRequest['limits']): string[] {
  const told = names.slice(0, most).map((name) => Buffer.from(name.slice(0, nameBytes / MOST_GROWN), 'latin1').toString('utf8'));
  return names.length > most ? [...told, `and ${names.length - most} more`] : told;
}
