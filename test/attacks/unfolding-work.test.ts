import { describe, expect } from 'vitest';
import { who } from '../../src/workspace/fixtures/ground.ts';
import { changesBetween } from '../../src/workspace/history/changes.ts';
import type { Means } from '../../src/workspace/private/confine.ts';
import { commitWork } from '../../src/workspace/save/commit-work.ts';
import { importBranch } from '../../src/workspace/save/import-branch.ts';
import { save } from '../../src/workspace/save/save.ts';
import { type PrivateGround, withPrivateClone } from '../support/private-clone.ts';

/** Trees of ten names each, one in the other: a kilobyte of objects, ten to the power of their number of files. */
const bomb = (levels: number, width = 10): string => {
  const names = Array.from({ length: width }, (_, n) => n).join(' ');
  return `B=$(echo x | git hash-object -w --stdin); T=$(for n in ${names}; do printf "100644 blob $B\\tf$n\\n"; done | git mktree);
  for d in $(seq 2 ${levels}); do T=$(for n in ${names}; do printf "040000 tree $T\\td$n\\n"; done | git mktree); done;
  C=$(git commit-tree $T -p HEAD -m bomb)`;
};

const kept = ({ at, site, means }: PrivateGround, more: Means = {}) =>
  save(site, { ref: 'refs/fleet/kept/1', message: 'kept', who, means: { ...means, ...more } }, at.env);

const filesOf = ({ at }: PrivateGround, commit: string): string[] =>
  at.git(at.repository, 'ls-tree', '-r', '--name-only', commit).split('\n');

describe('an agent that hands in a little that unfolds into more than the machine has', () => {
  withPrivateClone('hands in its files, and nobody compares or lays out what its branch leads to', async (clone) => {
    const { at, site, means, agent } = clone;
    const { code, err } = await agent(
      `set -e; ${bomb(12)}; git branch other; git symbolic-ref HEAD refs/heads/other; git update-ref refs/heads/x/one $C; echo work > work.txt`,
    );
    expect([code, err]).toEqual([0, '']);
    const small = { bounds: { memoryBytes: 192 * 1024 ** 2 } };
    const { commit, unread } = await kept(clone, small);
    expect([unread, filesOf(clone, commit)]).toEqual([
      expect.stringMatching(/cannot be counted/),
      ['a.txt', 'src/b.txt', 'work.txt'],
    ]);
    await commitWork(site, { message: 'rest', who, means: { ...means, ...small } }, at.env);
    const tip = await importBranch(site, { from: 'x/one', ref: 'refs/heads/x/one' }, at.env);
    const { totals } = await changesBetween(at.repository, { base: at.start, tip }, at.env);
    expect(totals).toEqual({ commits: 1, files: 1, added: 1, removed: 0 });
  });

  withPrivateClone('keeps its branches beside its work as little', async (clone) => {
    const { at, agent } = clone;
    await agent(`set -e; ${bomb(4)}; git update-ref refs/heads/aside $C; echo work > work.txt`);
    const { commit, unread } = await kept(clone, { bounds: { files: 9_999 } });
    expect([unread, filesOf(clone, commit)]).toEqual([
      expect.stringMatching(/more than 9999 files/),
      ['a.txt', 'src/b.txt', 'work.txt'],
    ]);
    expect(at.git(at.repository, 'for-each-ref', 'refs/fleet/kept/1.also')).toBe('');
  });

  withPrivateClone('gets no list made of it either where its own is gone, and its files are taken', async (clone) => {
    await clone.agent(`set -e; ${bomb(12)}; git update-ref refs/heads/x/one $C; rm .git/index; echo work > work.txt`);
    const { commit, unread } = await kept(clone, { lookMs: 3_000 });
    expect([unread, filesOf(clone, commit)]).toEqual([
      expect.stringMatching(/took too long|memory/i),
      ['a.txt', 'src/b.txt', 'work.txt'],
    ]);
  });

  withPrivateClone('is told of a name that git leaves out, and keeps its workspace', async (clone) => {
    await clone.agent('mkdir .GIT sub; echo x > .GIT/config; echo x > sub/git~1; echo work > work.txt');
    const { commit, left } = await kept(clone);
    expect([[...left].sort(), filesOf(clone, commit)]).toEqual([
      ['.GIT/config', 'sub/git~1'],
      ['a.txt', 'src/b.txt', 'work.txt'],
    ]);
  });

  withPrivateClone('is told of it also where git says so much besides that nobody hears it', async (clone) => {
    await clone.agent('echo "* text eol=crlf" > .gitattributes; for n in $(seq 1000); do echo $n > +$n; done; echo x > .GIT');
    const { commit, left } = await kept(clone);
    expect([left, filesOf(clone, commit)]).toEqual([['.GIT'], expect.arrayContaining(['+1', '+1000', '.gitattributes'])]);
  });
});
