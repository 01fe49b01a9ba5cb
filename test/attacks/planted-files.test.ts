import { describe, expect } from 'vitest';
import { who } from '../../src/workspace/fixtures/ground.ts';
import { commitWork } from '../../src/workspace/save/commit-work.ts';
import { save } from '../../src/workspace/save/save.ts';
import { type PrivateGround, withPrivateClone } from '../support/private-clone.ts';

const REF = 'refs/fleet/kept/1';

const kept = ({ at, site, means }: PrivateGround) => save(site, { ref: REF, message: 'kept', who, means }, at.env);

/** Every file of what was kept, with its text. */
function contents({ at }: PrivateGround, commit: string): Record<string, string> {
  const names = at.git(at.repository, 'ls-tree', '-r', '-z', '--name-only', commit).split('\0').filter(Boolean);
  return Object.fromEntries(names.map((name) => [name, at.git(at.repository, 'cat-file', 'blob', `${commit}:${name}`)]));
}

interface Planted {
  readonly title: string;
  readonly script: string;
  readonly files: Readonly<Record<string, string>>;
  readonly left?: readonly string[];
  /** Why its commits were not taken. */
  readonly unread?: RegExp;
}

const BEGUN = { 'a.txt': 'a', 'src/b.txt': 'b' };
const WORK = { ...BEGUN, 'work.txt': 'work' };
const MADE_OUTSIDE = 'git init -q $HOME/o && git -C $HOME/o commit -q --allow-empty -m elsewhere';

const PLANTED: readonly Planted[] = [
  {
    title: 'a common directory elsewhere',
    script: `${MADE_OUTSIDE}; echo $HOME/o/.git > .git/commondir; echo work > work.txt`,
    files: WORK,
    unread: /cannot be read|not sound|was not taken|did not succeed/,
  },
  {
    title: 'objects that are a link elsewhere',
    script: `${MADE_OUTSIDE}; rm -rf .git/objects; ln -s $HOME/o/.git/objects .git/objects; echo work > work.txt`,
    files: WORK,
    unread: /cannot be read/,
  },
  {
    title: 'a commit that names an object that is not there',
    script:
      'echo lost > lost.txt; git add lost.txt; git commit -qm lost; I=$(git rev-parse :lost.txt); rm -f .git/objects/$(echo $I | cut -c1-2)/*; rm lost.txt; echo work > work.txt',
    files: WORK,
    unread: /cannot be read|not sound|was not taken|did not succeed/,
  },
  {
    title: 'a base that was amended',
    script: 'echo work > work.txt; git add -A; git commit -q --amend -m amended',
    files: WORK,
  },
  {
    title: 'a change of the same size and time',
    script: 'touch -r a.txt $HOME/t; printf "z\\n" > a.txt; touch -r $HOME/t a.txt',
    files: { ...BEGUN, 'a.txt': 'z' },
  },
  {
    title: 'a pipe in the place of a file',
    script: 'rm a.txt; mkfifo a.txt',
    files: { 'src/b.txt': 'b' },
    left: ['a.txt'],
  },
  {
    title: 'a link in the place of a directory',
    script: 'rm -r src; ln -s /etc src',
    files: { 'a.txt': 'a', src: '/etc' },
  },
  {
    title: 'a directory in the place of a file',
    script: 'rm a.txt; mkdir a.txt; echo in > a.txt/in',
    files: { 'a.txt/in': 'in', 'src/b.txt': 'b' },
  },
  {
    title: 'odd names',
    script: 'for n in -dash "in space" "quo\\"te" "$(printf "new\\nline")" --exec=x ":(glob)*"; do echo x > "./$n"; done',
    files: { ...BEGUN, '-dash': 'x', 'in space': 'x', 'quo"te': 'x', 'new\nline': 'x', '--exec=x': 'x', ':(glob)*': 'x' },
  },
  {
    title: 'an index of garbage',
    script: 'head -c 5000 /dev/urandom > .git/index; echo work > work.txt; rm a.txt',
    files: { 'src/b.txt': 'b', 'work.txt': 'work' },
  },
  {
    title: 'a work tree elsewhere, and settings that no git can read',
    script: 'git config core.worktree /etc; git config core.bare true; echo "[" >> .git/config; echo work > work.txt',
    files: WORK,
    unread: /cannot be read/,
  },
];

describe('an agent that plants in its clone', () => {
  for (const { title, script, files, left = [], unread } of PLANTED)
    withPrivateClone(`${title} has its work taken, and nothing else`, async (clone) => {
      const { err } = await clone.agent(script);
      const taken = await kept(clone);
      const commits = unread === undefined ? undefined : expect.stringMatching(unread);
      expect([contents(clone, taken.commit), taken.left, taken.unread], err).toEqual([files, left, commits]);
      clone.at.git(clone.at.repository, 'fsck', '--strict', '--connectivity-only');
    });

  withPrivateClone('a merge that is not done has it kept, and nobody else ends it', async (clone) => {
    const { at, site, means, agent } = clone;
    await agent(
      'git checkout -qb other && echo o > a.txt && git commit -qam o && git checkout -q x/one && echo m > a.txt && git commit -qam m && git merge -q other',
    );
    const { commit } = await kept(clone);
    expect(contents(clone, commit)['a.txt']).toMatch(/^<<<<<<< /);
    const done = await commitWork(site, { message: 'work', who, means }, at.env);
    expect(done).toMatchObject({ made: false, why: expect.stringMatching(/conflicts|merge/) });
    expect((await agent('git status')).out).toMatch(/unmerged paths|Unmerged paths/);
  });
});
