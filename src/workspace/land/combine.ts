import { join } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import { answered } from '../git/git.ts';
import { historyOf } from '../git/in-repository.ts';
import type { ScratchGitDir } from '../git/scratch-git-dir.ts';
import { attributesFor } from '../history/attributes.ts';
import { treeOfLoose, writeCommit } from '../history/loose-object.ts';
import type { Who } from '../site.ts';
import { conflictText } from './conflict-text.ts';
import { type MergeAnswer, readMerge } from './merge-answer.ts';
import { isId, signable } from './target.ts';

export type CombineOutcome =
  | { readonly state: 'contained'; readonly commit: string }
  | { readonly state: 'merged'; readonly commit: string; readonly tree: string }
  | { readonly state: 'conflict'; readonly files: readonly string[]; readonly text: string }
  | { readonly state: 'unrelated'; readonly why: string };

interface Wish {
  readonly onto: string;
  readonly tip: string;
  readonly message: string;
  readonly who: Who;
  readonly at: string;
}

/**
 * Merges `tip` into `onto` in memory: no working tree, index or ref is touched, only objects are added. The same wish always
 * makes the same commit, so doing it again after a crash adds nothing.
 */
export async function combine(repository: string, wish: Wish, env: NodeJS.ProcessEnv): Promise<CombineOutcome> {
  for (const id of [wish.onto, wish.tip]) if (!isId(id)) throw new Fault('invalid', `${id} is not the full id of a commit`);
  await using side = await historyOf(repository, env);
  const before = await treeOfLoose(join(side.path, 'objects'), wish.onto);
  const [asked, merge] = await Promise.all([before === undefined ? contains(side, wish) : undefined, mergeTrees(side, wish)]);
  if (asked ?? (await mayContain(side, wish, before, merge))) return { state: 'contained', commit: wish.onto };
  if (merge === 'unrelated') return { state: 'unrelated', why: `${wish.tip} and ${wish.onto} have no commit in common` };
  if (!merge.clean) {
    const files = [...new Set(merge.stages.map(({ path }) => path))];
    return { state: 'conflict', files, text: await conflictText(side, merge) };
  }
  return { state: 'merged', tree: merge.tree, commit: await writeMerge(side, wish, merge.tree) };
}

export async function treeOf(repository: string, commit: string, env: NodeJS.ProcessEnv): Promise<string> {
  await using side = await historyOf(repository, env);
  const ran = await side.run(['rev-parse', '--verify', '--quiet', `${commit}^{tree}`]);
  if (ran.code !== 0) throw new Fault('not_found', `there is no commit ${commit}`, { commit });
  return ran.out.toString('utf8').trim();
}

/** What is contained changes nothing, so where something changes there is no need to ask. */
const mayContain = async (side: ScratchGitDir, wish: Wish, before: string | undefined, merge: MergeAnswer | 'unrelated') =>
  merge !== 'unrelated' && merge.clean && merge.tree === before && contains(side, wish);

async function contains(side: ScratchGitDir, { onto, tip }: Wish): Promise<boolean> {
  const ran = await side.run(['merge-base', '--is-ancestor', tip, onto]);
  if (ran.code !== 0 && ran.code !== 1) answered(ran, `look whether ${onto} contains ${tip}`, 'not_found');
  return ran.code === 0;
}

/**
 * Merged once without attributes. Only where both sides changed one file do attributes matter, and then those of
 * `onto` count, not those of whatever happens to be checked out.
 */
async function mergeTrees(side: ScratchGitDir, wish: Wish): Promise<MergeAnswer | 'unrelated'> {
  const first = await mergeOnce(side, wish);
  if (first === 'unrelated') return first;
  const workTree = await attributesFor(side, wish.onto, first.melded);
  return workTree === undefined ? first : mergeOnce(side, wish, workTree);
}

async function mergeOnce(side: ScratchGitDir, { onto, tip }: Wish, workTree?: string): Promise<MergeAnswer | 'unrelated'> {
  const ran = await side.run(['merge-tree', '--write-tree', '-z', '--messages', onto, tip], { workTree });
  if (/unrelated histories/.test(ran.err)) return 'unrelated';
  if (/^usage: git merge-tree|unknown option/m.test(ran.err)) {
    throw new Fault('unavailable', 'git is too old to merge without a working tree: install git 2.38 or newer');
  }
  // It ends with 1 for a conflict, and also, without a tree, for a commit it cannot find.
  if (ran.code !== 1 || ran.out.length === 0) answered(ran, `merge ${tip} into ${onto}`, 'not_found');
  return readMerge(ran.out, ran.code === 0);
}

/** The bytes are written here, not by `commit-tree`, so that nothing but the wish decides them. */
async function writeMerge(side: ScratchGitDir, wish: Wish, tree: string): Promise<string> {
  const ms = Date.parse(wish.at);
  if (Number.isNaN(ms)) throw new Fault('invalid', `${wish.at} is not a time`);
  const name = signable(wish.who.name) || 'Fleet';
  const signature = `${name} <${signable(wish.who.email)}> ${Math.max(0, Math.floor(ms / 1_000))} +0000`;
  const head = [`tree ${tree}`, `parent ${wish.onto}`, `parent ${wish.tip}`, `author ${signature}`, `committer ${signature}`];
  const text = `${head.join('\n')}\n\n${wish.message.replaceAll('\0', '').trimEnd()}\n`;
  return writeCommit(join(side.path, 'objects'), text, wish.onto.length === SHA256_LENGTH ? 'sha256' : 'sha1');
}

const SHA256_LENGTH = 64;
