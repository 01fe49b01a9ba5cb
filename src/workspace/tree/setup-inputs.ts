import { createHash } from 'node:crypto';
import { expressionOf } from '../../domain/work/path-patterns.ts';
import { gitFault } from '../git/git.ts';
import { gitIn, outputIn } from '../git/in-repository.ts';
import { isId } from '../land/target.ts';
import { repositorySeat } from '../site.ts';

const LISTING_BYTES = 1024 * 1024 * 1024;

export interface SetupInputs {
  readonly tree: string;
  /** Absent without patterns, and where one of them names no file: a misspelt name must not hide a change. */
  readonly inputs?: string | undefined;
}

/** What a set-up on this commit depends on, by content. Undefined where the repository does not have the commit. */
export async function setupInputs(
  repository: string,
  { commit, patterns }: { readonly commit: string; readonly patterns: readonly string[] },
  env: NodeJS.ProcessEnv,
): Promise<SetupInputs | undefined> {
  if (!isId(commit)) return undefined;
  const seat = await repositorySeat(repository);
  const named = await gitIn(seat, ['rev-parse', '--verify', '--quiet', `${commit}^{tree}`], env, { mode: 'closed' });
  const tree = named.out.toString('utf8').trim();
  if (named.missing) throw gitFault(named, `look for ${commit}`);
  if (named.code !== 0 || !isId(tree)) return undefined;
  if (patterns.length === 0) return { tree };
  const listing = await outputIn(seat, ['ls-tree', '-r', '-z', '--full-tree', tree], env, {
    mode: 'closed',
    maxBytes: LISTING_BYTES,
  });
  const inputs = digestOf(listing.toString('utf8'), patterns);
  return { tree, ...(inputs === undefined ? {} : { inputs }) };
}

/** Mode, id and name of each entry that a pattern names. */
function digestOf(listing: string, patterns: readonly string[]): string | undefined {
  const expressions = patterns.map((pattern) => expressionOf(pattern));
  const unseen = new Set(expressions);
  const hash = createHash('sha256').update(`${JSON.stringify(patterns)}\0`);
  for (const entry of listing.split('\0')) {
    const path = entry.slice(entry.indexOf('\t') + 1);
    if (!expressions.some((expression) => expression.test(path))) continue;
    hash.update(`${entry}\0`);
    for (const expression of unseen) if (expression.test(path)) unseen.delete(expression);
  }
  return unseen.size === 0 ? hash.digest('hex') : undefined;
}

/** Whether a commit is part of what another one, such as the tip of a branch, has behind it. */
export async function isContained(
  repository: string,
  { commit, tip }: { readonly commit: string; readonly tip: string },
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  if (!isId(commit) || !isId(tip)) return false;
  const seat = await repositorySeat(repository);
  const end = await gitIn(seat, ['merge-base', '--is-ancestor', commit, tip], env, { mode: 'closed' });
  if (end.missing) throw gitFault(end, `look whether ${tip} contains ${commit}`);
  return end.code === 0;
}
