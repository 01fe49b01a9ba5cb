import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type GitGround, gitGround, merged, snapshot } from '../fixtures/git-ground.ts';
import { type AdvanceOutcome, advance } from './advance.ts';

/** One way a user's checkout may be when work lands on `main`. */
interface Situation {
  readonly title: string;
  /** Brings the checkout about. */
  prepare(ground: GitGround, repo: string): Promise<unknown>;
  readonly answer: (repo: string) => object;
  /** Nothing at all may differ afterwards. Absent: files and index follow the branch. */
  readonly untouched?: true;
}

const dirty =
  (...files: string[]) =>
  (repo: string) => ({ state: 'dirty', where: repo, files });
const refOnly = () => ({ state: 'moved' });

const SITUATIONS: readonly Situation[] = [
  { title: 'is clean', prepare: async () => undefined, answer: (repo) => ({ state: 'moved', checkout: repo }) },
  {
    title: 'is clean, with untracked, ignored and touched files and a stash',
    prepare: async ({ git, write }, repo) => {
      await write(repo, { 'a.txt': 'stashed\n' });
      await git(repo, 'stash');
      await write(repo, { 'mine.txt': 'untracked\n', 'secret.env': 'ignored\n', 'dir/b.txt': 'b\n' });
    },
    answer: (repo) => ({ state: 'moved', checkout: repo }),
  },
  {
    title: 'has an edited file the work touches',
    prepare: ({ write }, repo) => write(repo, { 'a.txt': 'edited\n' }),
    answer: dirty('a.txt'),
    untouched: true,
  },
  {
    title: 'has an edited file the work does not touch',
    prepare: ({ write }, repo) => write(repo, { 'other.txt': 'edited\n' }),
    answer: dirty('other.txt'),
    untouched: true,
  },
  {
    title: 'has a staged change only',
    prepare: async ({ git, write }, repo) => {
      await write(repo, { 'other.txt': 'staged\n' });
      await git(repo, 'add', 'other.txt');
      await write(repo, { 'other.txt': 'other\n' });
    },
    answer: dirty('other.txt'),
    untouched: true,
  },
  {
    title: 'has a removed file',
    prepare: ({ write }, repo) => write(repo, { 'dir/b.txt': null }),
    answer: dirty('dir/b.txt'),
    untouched: true,
  },
  {
    title: 'has an untracked file where the work puts one',
    prepare: ({ write }, repo) => write(repo, { 'n/new.txt': 'mine\n' }),
    answer: dirty('n/new.txt'),
    untouched: true,
  },
  {
    title: 'has an ignored file where the work puts one',
    prepare: ({ write }, repo) => write(repo, { 'n/x.env': 'my secret\n' }),
    answer: dirty('n/x.env'),
    untouched: true,
  },
  {
    title: 'has an untracked file where the work needs a directory',
    prepare: ({ write }, repo) => write(repo, { n: 'a file\n' }),
    answer: dirty('n'),
    untouched: true,
  },
  {
    title: 'is in the middle of a merge',
    prepare: async ({ git, commit }, repo) => {
      const other = await commit(repo, 'main', { 'other.txt': 'theirs\n' });
      await git(repo, 'merge', '--no-commit', '--no-ff', other);
    },
    answer: (repo) => ({ state: 'busy', where: repo, why: 'a merge is under way' }),
    untouched: true,
  },
  {
    title: 'is in the middle of a rebase of the branch',
    prepare: async ({ git, commit }, repo) => {
      const other = await commit(repo, 'main~1', { 'a.txt': 'conflict\n' });
      await git(repo, 'rebase', other).catch(() => undefined);
    },
    answer: (repo) => ({ state: 'busy', where: repo, why: 'a rebase is under way' }),
    untouched: true,
  },
  {
    title: 'is locked by another git',
    prepare: (_, repo) => writeFile(join(repo, '.git/index.lock'), ''),
    answer: (repo) => ({ state: 'busy', where: repo, why: 'another git is at work there (index.lock)' }),
    untouched: true,
  },
  {
    title: 'is on another branch, edited',
    prepare: async ({ git, write }, repo) => {
      await git(repo, 'checkout', '-q', '-b', 'mine');
      await write(repo, { 'a.txt': 'edited\n' });
    },
    answer: refOnly,
    untouched: true,
  },
  {
    title: 'is detached at the branch',
    prepare: ({ git }, repo) => git(repo, 'checkout', '-q', '--detach'),
    answer: refOnly,
    untouched: true,
  },
  {
    title: 'is on an unborn branch',
    prepare: async ({ git }, repo) => {
      await git(repo, 'checkout', '-q', '--orphan', 'fresh');
    },
    answer: refOnly,
    untouched: true,
  },
];

/** Work on a repository with an ignored kind of file, and a second commit to rebase from. */
async function landOn(ground: GitGround, prepare: Situation['prepare']) {
  const repo = await ground.repository('repo', {
    'a.txt': 'one\ntwo\n',
    'dir/b.txt': 'b\n',
    'other.txt': 'other\n',
    '.gitignore': '*.env\n',
  });
  await ground.write(repo, { 'a.txt': 'one\ntwo\nthree\n' });
  await ground.git(repo, 'commit', '-q', '-a', '-m', 'second');
  const from = await ground.git(repo, 'rev-parse', 'main');
  const tip = await ground.commit(repo, 'main', {
    'a.txt': 'ONE\ntwo\nthree\n',
    'n/new.txt': 'n\n',
    'n/x.env': 'theirs\n',
    'dir/b.txt': null,
  });
  const to = await merged(repo, from, tip, ground.env);
  await prepare(ground, repo);
  const before = await snapshot(ground, repo);
  const answer = await advance(repo, { branch: 'main', from, to, why: 'land it' }, ground.env);
  return { repo, from, to, before, answer };
}

describe("the user's checkout", () => {
  it.each(SITUATIONS)('that $title is never touched behind their back [WORK-08]', async ({ prepare, answer, untouched }) => {
    await using ground = await gitGround();
    const landed = await landOn(ground, prepare);
    const { repo, from, to, before } = landed;
    expect(landed.answer).toEqual(answer(repo));
    const after = await snapshot(ground, repo);
    const hasMoved = (landed.answer as AdvanceOutcome).state === 'moved';
    expect(await ground.git(repo, 'rev-parse', 'refs/heads/main')).toBe(hasMoved ? to : from);
    if (untouched) {
      expect(after).toEqual(before);
      return;
    }
    expect(after['status']).toContain(`# branch.oid ${to}`);
    expect(after['status']).not.toMatch(/^[12u] /m);
    expect(after['stash']).toBe(before['stash']);
    const mine = Object.entries(before).filter(([name]) => /mine|secret/.test(name));
    expect(after).toMatchObject({
      ...Object.fromEntries(mine),
      'file a.txt': 'ONE\ntwo\nthree\n',
      'file n/new.txt': 'n\n',
      'file n/x.env': 'theirs\n',
    });
    expect(after).not.toHaveProperty('file dir/b.txt');
  });
});
