import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isFault } from '../../domain/fault.ts';
import { AT, type Files, type GitGround, gitGround, WHO } from '../fixtures/git-ground.ts';
import { type CombineOutcome, combine } from './combine.ts';

interface Sides {
  readonly base: Files;
  readonly ours: Files;
  readonly theirs: Files;
}

/** Two branches from one commit, combined; answers with what the merged tree holds. */
async function meet(ground: GitGround, { base, ours, theirs }: Sides) {
  const repo = await ground.repository('repo', base);
  const [onto, tip] = [await ground.commit(repo, 'main', ours, 'ours'), await ground.commit(repo, 'main', theirs, 'theirs')];
  const made = await combine(repo, { onto, tip, message: 'm', who: WHO, at: AT }, ground.env);
  return { repo, onto, tip, made, read: (path: string) => ground.git(repo, 'show', `${commitIn(made)}:${path}`) };
}

function commitIn(made: CombineOutcome): string {
  if (made.state !== 'merged') throw new Error(`expected a merge, got ${JSON.stringify(made)}`);
  return made.commit;
}

const TEN = Array.from({ length: 10 }, (_, n) => `line ${n}`);
const text = (...changes: readonly (readonly [number, string])[]): string =>
  `${TEN.map((line, n) => changes.find(([at]) => at === n)?.[1] ?? line).join('\n')}\n`;

describe('combining', () => {
  it('makes the same merge commit from the same wish, with both as parents [WORK-06] [R30]', async () => {
    await using ground = await gitGround();
    const { repo, onto, tip, made } = await meet(ground, { base: { a: text() }, ours: { b: 'b\n' }, theirs: { c: 'c\n' } });
    const wish = { onto, tip, message: 'm', who: WHO, at: AT };
    expect(await combine(repo, wish, { ...ground.env, GIT_AUTHOR_NAME: 'x', GIT_COMMITTER_DATE: '1 +0000' })).toEqual(made);
    const format = '--format=%P|%an|%ae|%ct|%cn|%B';
    const said = `${onto} ${tip}|Ada|ada@example.invalid|${Date.parse(AT) / 1_000}|Ada|m`;
    expect(await ground.git(repo, 'log', '-1', format, commitIn(made))).toBe(`${said}\n`);
    expect(await ground.git(repo, 'fsck', '--strict')).not.toMatch(/error/);
    expect(await ground.git(repo, 'status', '--porcelain')).toBe('');
    expect(await ground.leftovers()).toEqual([]);
  });

  it('says when there is nothing new, when a merge changes nothing, and when histories have nothing in common', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository();
    const first = await ground.git(repo, 'rev-parse', 'main');
    const [ahead, empty] = [await ground.commit(repo, first, { x: 'x\n' }), await ground.commit(repo, first, {}, 'empty')];
    const wish = { onto: ahead, message: 'm', who: WHO, at: AT };
    expect(await combine(repo, { ...wish, tip: first }, ground.env)).toEqual({ state: 'contained', commit: ahead });
    expect(await combine(repo, { ...wish, tip: ahead }, ground.env)).toEqual({ state: 'contained', commit: ahead });
    expect(await combine(repo, { ...wish, tip: empty }, ground.env)).toMatchObject({
      state: 'merged',
      tree: await ground.git(repo, 'rev-parse', `${ahead}^{tree}`),
    });
    expect(await combine(repo, { ...wish, onto: first, tip: ahead }, ground.env)).toMatchObject({ state: 'merged' });
    const alone = await ground.git(repo, 'commit-tree', '-m', 'alone', `${first}^{tree}`);
    expect(await combine(repo, { ...wish, tip: alone }, ground.env)).toMatchObject({ state: 'unrelated' });
    const missing = await combine(repo, { ...wish, tip: '1'.repeat(40) }, ground.env).catch((error: unknown) => error);
    expect(isFault(missing, 'not_found')).toBe(true);
  });

  it('follows a file that one side renamed and the other changed', async () => {
    await using ground = await gitGround();
    const { read } = await meet(ground, {
      base: { 'old/a.txt': text() },
      ours: { 'old/a.txt': null, 'new/b.txt': text([0, 'ours']) },
      theirs: { 'old/a.txt': text([9, 'theirs']) },
    });
    expect(await read('new/b.txt')).toBe(text([0, 'ours'], [9, 'theirs']).trimEnd());
  });

  it('shows where both changed the same lines, in a text an agent can work from [WORK-06]', async () => {
    await using ground = await gitGround();
    const { made } = await meet(ground, {
      base: { 'dir/a b.txt': text() },
      ours: { 'dir/a b.txt': text([4, 'ours \x1b[31m']) },
      theirs: { 'dir/a b.txt': text([4, 'theirs']) },
    });
    if (made.state !== 'conflict') throw new Error(made.state);
    expect(made.files).toEqual(['dir/a b.txt']);
    expect(made.text).toMatch(/^dir\/a b\.txt: contents\n/);
    expect(made.text).toMatch(
      /5 \| <<<<<<< [0-9a-f]{40}\n.*6 \| ours \\x1b\[31m\n.*=======\n.*8 \| theirs\n.*>>>>>>> [0-9a-f]{40}/s,
    );
    expect(made.text).toContain('line 3');
    expect(made.text).not.toContain('line 0');
  });

  const CONFLICTS: readonly (readonly [string, Sides, RegExp])[] = [
    ['both changed a binary file', { base: { f: 'a\0a' }, ours: { f: 'b\0b' }, theirs: { f: 'c\0c' } }, /^f: .*binary/],
    [
      'one removed and one changed it',
      { base: { f: text() }, ours: { f: null }, theirs: { f: text([1, 'x']) } },
      /^f: modify\/delete/,
    ],
    ['both added it', { base: { g: 'g\n' }, ours: { f: 'one\n' }, theirs: { f: 'two\n' } }, /^f: .*(add|contents)/],
    [
      'a file meets a directory',
      { base: { g: 'g\n' }, ours: { f: 'file\n' }, theirs: { 'f/x': 'below\n' } },
      /f.*: file\/directory/,
    ],
    [
      'both renamed it',
      { base: { f: text() }, ours: { f: null, one: text() }, theirs: { f: null, two: text() } },
      /rename\/rename|rename involved/,
    ],
    [
      'its name is hostile',
      {
        base: { '-x "y"\n\x1bz': text() },
        ours: { '-x "y"\n\x1bz': text([1, 'a']) },
        theirs: { '-x "y"\n\x1bz': text([1, 'b']) },
      },
      /^-x "y"\\x0a\\x1bz: contents/,
    ],
  ];

  it.each(CONFLICTS)('says what kind of conflict it is when %s', async (_, sides, kind) => {
    await using ground = await gitGround();
    const { made } = await meet(ground, sides);
    if (made.state !== 'conflict') throw new Error(JSON.stringify(made));
    expect(made.files.length).toBeGreaterThan(0);
    expect(made.text).toMatch(kind);
  });

  it('tells conflicts of modes, links and submodules, and keeps the text bounded', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository('repo', { mode: 'm\n', link: 'l\n' });
    const side = async (name: string, change: (path: string) => Promise<void>) => {
      const path = join(ground.path, name);
      await ground.git(repo, 'worktree', 'add', '-q', '-b', name, path, 'main');
      await change(path);
      await ground.git(path, 'add', '-A');
      const other = await ground.git(path, 'commit-tree', '-m', name, 'HEAD^{tree}');
      await ground.git(path, 'update-index', '--add', '--cacheinfo', `160000,${other},sub`);
      await ground.git(path, 'commit', '-q', '-m', name);
      return ground.git(path, 'rev-parse', 'HEAD');
    };
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`many/${n}`, n]));
    const onto = await side('one', async (path) => {
      await chmod(join(path, 'mode'), 0o755);
      await ground.write(path, {
        link: null,
        ...Object.fromEntries(Object.keys(many).map((name) => [name, 'one\n'.repeat(500)])),
      });
      await symlink('here', join(path, 'link'));
    });
    const tip = await side('two', async (path) => {
      await ground.write(path, {
        mode: 'changed\n',
        link: null,
        ...Object.fromEntries(Object.keys(many).map((name) => [name, 'two\n'.repeat(500)])),
      });
      await symlink('there', join(path, 'link'));
    });
    const made = await combine(repo, { onto, tip, message: 'm', who: WHO, at: AT }, ground.env);
    if (made.state !== 'conflict') throw new Error(JSON.stringify(made));
    expect(made.files).toEqual(expect.arrayContaining(['link', 'sub', 'many/0']));
    expect(made.files).not.toContain('mode');
    expect(made.text).toContain('more files');
    expect(made.text.length).toBeLessThan(60_000);
  });

  it('merges a history that crosses itself', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository('repo', { f: text() });
    const [a, b] = [
      await ground.commit(repo, 'main', { f: text([1, 'a']) }),
      await ground.commit(repo, 'main', { f: text([8, 'b']) }),
    ];
    const merge = async (onto: string, tip: string) =>
      commitIn(await combine(repo, { onto, tip, message: 'm', who: WHO, at: AT }, ground.env));
    const [ab, ba] = [await merge(a, b), await merge(b, a)];
    const left = await ground.commit(repo, ab, { f: text([1, 'a'], [8, 'b'], [4, 'left']) });
    const done = await merge(left, await ground.commit(repo, ba, { g: 'right\n' }));
    expect(await ground.git(repo, 'show', `${done}:f`)).toBe(text([1, 'a'], [8, 'b'], [4, 'left']).trimEnd());
  });

  it('obeys the attributes of the commit it merges onto', async () => {
    await using ground = await gitGround();
    const { repo, read } = await meet(ground, {
      base: { 'log/list.txt': 'a\n', 'log/.gitattributes': '*.txt merge=union\n' },
      ours: { 'log/list.txt': 'a\nours\n' },
      theirs: { 'log/list.txt': 'a\ntheirs\n' },
    });
    expect(await read('log/list.txt')).toBe('a\nours\ntheirs');
    expect(await ground.git(repo, 'status', '--porcelain')).toBe('');
  });

  it('runs nothing that the repository names: drivers, filters, hooks [WORK-13] [T11]', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository('repo', { f: text(), '.gitattributes': '* merge=evil filter=evil diff=evil text\n' });
    const { command } = await ground.canary('combine');
    const [onto, tip] = [
      await ground.commit(repo, 'main', { f: text([1, 'a']) }),
      await ground.commit(repo, 'main', { f: text([8, 'b']) }),
    ];
    const planted = [
      'merge.evil.driver',
      'filter.evil.clean',
      'filter.evil.smudge',
      'filter.evil.process',
      'diff.evil.command',
      'diff.evil.textconv',
    ];
    for (const key of [...planted, 'core.fsmonitor', 'core.alternateRefsCommand', 'diff.external', 'core.sshCommand']) {
      await ground.git(repo, 'config', key, command);
    }
    await mkdir(join(repo, '.git/info'), { recursive: true });
    await writeFile(join(repo, '.git/info/attributes'), '* merge=evil filter=evil\n');
    const made = await combine(repo, { onto, tip, message: 'm', who: WHO, at: AT }, ground.env);
    expect(made.state).toBe('merged');
    expect(await ground.canaries()).toEqual([]);
  });

  it('says that git is too old, in those words', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository();
    const bin = join(ground.path, 'bin');
    await mkdir(bin);
    const usage = 'usage: git merge-tree <base-tree> <branch1> <branch2>';
    await writeFile(
      join(bin, 'git'),
      `#!/bin/sh\ncase "$*" in *merge-tree*) echo '${usage}' >&2; exit 129;; esac\nPATH="\${PATH#*:}" exec git "$@"\n`,
    );
    await chmod(join(bin, 'git'), 0o755);
    const onto = await ground.git(repo, 'rev-parse', 'main');
    const tip = await ground.commit(repo, onto, { x: 'x\n' });
    const old = { ...ground.env, PATH: `${bin}:${ground.env['PATH']}` };
    await expect(combine(repo, { onto, tip, message: 'm', who: WHO, at: AT }, old)).rejects.toThrow('install git 2.38 or newer');
  });
});
