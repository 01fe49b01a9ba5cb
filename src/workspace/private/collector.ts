/**
 * Turns what an agent left in a private clone into one snapshot and one pack. It runs where nothing can be written but a
 * scratch directory and nothing can be reached: whatever it is made to do by the files it reads, it can only lie about them.
 *
 * Argument: a `Wish` as JSON. Descriptor 3: `Said`, as JSON. Standard output: the pack.
 */
import { closeSync, writeFileSync } from 'node:fs';
import { collectorGit } from './collector-git.ts';
import { packOf } from './collector-pack.ts';
import { refsOf } from './collector-refs.ts';
import { snapshotOf } from './collector-snapshot.ts';
import { refuseObstacles } from './obstacles.ts';
import { MOST_LEFT, type Said, type Wish } from './wish.ts';

try {
  const wish = JSON.parse(process.argv[2] ?? '') as Wish;
  refuseObstacles(wish.tree);
  const git = collectorGit(wish);
  const refs = refsOf(git);
  const { tree, conflicts, left } = await snapshotOf(git, refs.head);
  const snap = git.commit(tree, wish.mode === 'full' ? refs.head : wish.parent);
  const more = left.length - MOST_LEFT;
  const shown = left.slice(0, MOST_LEFT).map((name) => Buffer.from(name, 'latin1').toString('utf8'));
  const said: Said = { ...refs, snap, conflicts, left: more > 0 ? [...shown, `and ${more} more`] : shown };
  writeFileSync(3, JSON.stringify(said));
  closeSync(3);
  packOf(git, [snap, refs.branch, ...refs.also.map(([, id]) => id)]);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 21;
}
