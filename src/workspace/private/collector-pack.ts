import type { CollectorGit } from './collector-git.ts';

/** Everything these reach and Fleet does not have, as one pack to whoever reads our output. */
export function packOf(git: CollectorGit, tips: readonly (string | undefined)[]): void {
  const wanted = [...new Set(tips.filter((tip) => tip !== undefined))];
  const input = [...wanted, ...git.wish.known.map((id) => `^${id}`)].map((line) => `${line}\n`).join('');
  const args = ['pack-objects', '--revs', '--stdout', '--thin', '--delta-base-offset', '-q'];
  git.here(args, { input, passOn: true });
}
