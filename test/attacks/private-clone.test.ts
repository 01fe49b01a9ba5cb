import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { who } from '../../src/workspace/fixtures/ground.ts';
import { privateMounts, privatePlaces } from '../../src/workspace/private/places.ts';
import { commitWork } from '../../src/workspace/save/commit-work.ts';
import { importBranch } from '../../src/workspace/save/import-branch.ts';
import { save } from '../../src/workspace/save/save.ts';
import { provision, reset } from '../../src/workspace/tree/provision.ts';
import { type PrivateGround, withPrivateClone } from '../support/private-clone.ts';

const REF = 'refs/fleet/kept/1';

const kept = ({ at, site, means }: PrivateGround) => save(site, { ref: REF, message: 'kept', who, means }, at.env);

const filesOf = ({ at }: PrivateGround, commit: string): string[] =>
  at.git(at.repository, 'ls-tree', '-r', '--name-only', commit).split('\n');

const textOf = ({ at }: PrivateGround, commit: string, path: string): string =>
  at.git(at.repository, 'cat-file', 'blob', `${commit}:${path}`);

const has = ({ at }: PrivateGround, id: string): boolean =>
  spawnSync('git', ['cat-file', '-e', id], { cwd: at.repository, env: at.env }).status === 0;

/** Nothing of the user's is other than it was. */
function expectUntouched({ at }: PrivateGround): void {
  expect(at.git(at.repository, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads')).toBe(
    `refs/heads/main ${at.start}`,
  );
  expect(at.git(at.repository, 'status', '--porcelain')).toBe('');
  expect(at.git(at.repository, 'fsck', '--strict')).not.toMatch(/error|missing/);
}

describe('an agent in a private clone', () => {
  withPrivateClone('that does honest work hands it in, with its own commits, other branches and its stash', async (clone) => {
    const { at, site, means, agent } = clone;
    const { code, err } =
      await agent(`git status --porcelain && git checkout -qb aside && echo aside > aside.txt && git add . && git commit -qm aside &&
      echo s >> a.txt && git stash -q && git checkout -q x/one && echo own > own.txt && git add . && git commit -qm own && echo loose > loose.txt`);
    expect([code, err]).toEqual([0, '']);
    const { commit, left, unread } = await kept(clone);
    expect([left, unread, filesOf(clone, commit)]).toEqual([[], undefined, ['a.txt', 'loose.txt', 'own.txt', 'src/b.txt']]);
    expect(at.git(at.repository, 'log', '--format=%an %s', commit)).toBe('Ada kept\nagent own\nAda one');
    expect(textOf(clone, `${REF}.also/heads/aside`, 'aside.txt')).toBe('aside');
    expect(textOf(clone, `${REF}.also/stash`, 'a.txt')).toBe('a\ns');
    const done = await commitWork(site, { message: 'rest', who, means }, at.env);
    expect(await importBranch(site, { from: 'x/one', ref: 'refs/heads/x/one' }, at.env)).toBe(done.commit);
    const seen = await agent('git status --porcelain -b; git log --format=%s; git branch --list aside; git show stash:a.txt');
    expect(seen.out).toBe('## x/one\nrest\nown\none\n  aside\na\ns\n');
    at.git(at.repository, 'update-ref', '-d', 'refs/heads/x/one');
    expectUntouched(clone);
  });

  withPrivateClone(
    'cannot read a branch its base does not reach, nor the directory of the project [RUN-16] [T1]',
    async (clone) => {
      const { at, agent } = clone;
      at.git(at.repository, 'checkout', '-q', '-b', 'private');
      writeFileSync(join(at.repository, 'secret.txt'), 'secret\n');
      at.git(at.repository, 'add', '-A');
      at.git(at.repository, 'commit', '-qm', 'secret');
      const secret = at.git(at.repository, 'rev-parse', 'HEAD');
      at.git(at.repository, 'checkout', '-q', 'main');
      const { out } = await agent(
        `git cat-file -e ${secret} 2>&1 || echo unknown; ls ${at.repository} 2>&1; GIT_ALTERNATE_OBJECT_DIRECTORIES=${at.repository}/.git/objects git cat-file -e ${secret} 2>&1 || echo unknown`,
      );
      expect(out.split('\n').filter((line) => line === 'unknown')).toHaveLength(2);
      expect(out).toContain('No such file');
      at.git(at.repository, 'branch', '-qD', 'private');
      expectUntouched(clone);
    },
  );

  withPrivateClone('does not get another directory mounted by files of its repository [RUN-16] [T1]', async (clone) => {
    const { at, site, agent } = clone;
    const before = privateMounts(site);
    await agent(`mkdir -p .git/fake/objects .git/fake/refs; ln -s ${at.root} .git/fake/worktrees; echo fake > .git/commondir;
      rm -rf .git/objects/info; mkdir -p .git/objects/info; echo ${at.repository}/.git/objects > .git/objects/info/alternates;
      echo 'gitdir: ${at.repository}/.git' > .git/gitdir; rm -rf .git; mv .git moved; ln -s ${at.repository}/.git .git`);
    expect(privateMounts(site)).toEqual(before);
    expect(readdirSync(join(site.path, '.git'))).toEqual([]);
    const { out } = await agent(`ls ${at.root}; cat .git/commondir; cd .git && ls`);
    expect(out).not.toContain('user');
    await kept(clone);
    expectUntouched(clone);
  });

  withPrivateClone(
    "does not make Fleet's git commit to a branch of the project or of another repository [RUN-16] [T1]",
    async (clone) => {
      const { at, site, means, agent } = clone;
      const other = join(at.root, 'other');
      at.git(at.root, 'clone', '-q', at.repository, other);
      for (const target of [at.repository, other])
        await agent(`echo ${target}/.git > .git/commondir; echo 'ref: refs/heads/main' > .git/HEAD; rm -rf .git/objects; ln -s ${target}/.git/objects .git/objects;
        mkdir -p .github/workflows; echo 'on: push' > .github/workflows/evil.yml`);
      const { commit, unread } = await kept(clone);
      expect(unread).toBeDefined();
      expect(filesOf(clone, commit)).toContain('.github/workflows/evil.yml');
      const done = await commitWork(site, { message: 'work', who, means }, at.env);
      expect(done.made).toBe(true);
      expect(at.git(other, 'rev-parse', 'main')).toBe(at.start);
      expect(at.git(other, 'status', '--porcelain')).toBe('');
      expectUntouched(clone);
      // From what Fleet knows its repository is sound again.
      expect((await agent('git status --porcelain -b && git rev-parse HEAD')).out).toBe(`## x/one\n${done.commit}\n`);
    },
  );

  withPrivateClone('hands in no commit of a private branch that it only knows by name', async (clone) => {
    const { at, agent } = clone;
    at.git(at.repository, 'checkout', '-q', '-b', 'private');
    writeFileSync(join(at.repository, 'secret.txt'), 'secret\n');
    at.git(at.repository, 'add', '-A');
    at.git(at.repository, 'commit', '-qm', 'secret');
    const secret = at.git(at.repository, 'rev-parse', 'HEAD');
    at.git(at.repository, 'checkout', '-q', 'main');
    await agent(
      `echo ${secret} > .git/refs/heads/x/one 2>/dev/null || (mkdir -p .git/refs/heads/x; echo ${secret} > .git/refs/heads/x/one); echo work > work.txt`,
    );
    const { commit, unread } = await kept(clone);
    expect(unread).toBeDefined();
    expect(filesOf(clone, commit)).toEqual(['a.txt', 'src/b.txt', 'work.txt']);
    expect(at.git(at.repository, 'rev-list', '--count', commit)).toBe('2');
  });

  withPrivateClone("does not reach the network through Fleet's git [RUN-16] [T11]", async (clone) => {
    const asked: (string | undefined)[] = [];
    const server = createServer(({ url }, answer) => {
      asked.push(url);
      answer.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      await clone.agent(`git config core.repositoryformatversion 1; git config extensions.partialclone p; git config remote.p.promisor true; git config remote.p.url http://127.0.0.1:${port}/EXFIL;
        mkdir -p .git/refs/heads/x; echo 0123456789012345678901234567890123456789 > .git/refs/heads/x/one; echo work > work.txt`);
      const { commit, unread } = await kept(clone);
      expect([unread !== undefined, filesOf(clone, commit)]).toEqual([true, ['a.txt', 'src/b.txt', 'work.txt']]);
      expect(asked).toEqual([]);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  withPrivateClone('plants programs that run nowhere outside: settings, hooks, filters of a submodule [T11]', async (clone) => {
    const { at, site, means, agent } = clone;
    const trace = join(at.root, 'PWNED');
    const evil = `touch ${trace}; cat`;
    await agent(`git config core.fsmonitor "${evil}"; git config filter.x.clean "${evil}"; git config filter.x.smudge "${evil}"; echo '* filter=x' > .gitattributes;
      git init -q sub && cd sub && echo s > s.txt && git add . && git commit -qm s && git config filter.x.clean "${evil}" && git config core.fsmonitor "${evil}" && cd .. &&
      git -c core.fsmonitor= -c filter.x.clean= add sub .gitattributes && git -c core.fsmonitor= -c filter.x.clean= commit -qm sub; echo changed > sub/s.txt; echo '* filter=x' > sub/.gitattributes;
      mkdir -p .git/hooks; for hook in post-checkout pre-commit reference-transaction post-index-change; do printf '#!/bin/sh\\ntouch ${trace}\\n' > .git/hooks/$hook; chmod +x .git/hooks/$hook; done`);
    const { commit } = await kept(clone);
    expect(filesOf(clone, commit)).toContain('sub/s.txt');
    await commitWork(site, { message: 'work', who, means }, at.env);
    await reset(site, { setupPaths: [] }, at.env);
    await provision(site, { branch: 'x/two', start: at.start, copyFiles: [], setupPaths: [] }, at.env);
    expect(existsSync(trace)).toBe(false);
    expect(readdirSync(privatePlaces(site).agentGit).sort()).not.toContain('hooks');
  });

  withPrivateClone('whose git directory holds pipes is collected as files [T13]', async (clone) => {
    const { site, agent, means } = clone;
    await agent(
      'rm -f .git/HEAD .git/config; mkfifo .git/HEAD .git/config .git/packed-refs pipe; echo work > work.txt; rm a.txt; mkfifo a.txt',
    );
    const quick = { ...clone, means: { ...means, lookMs: 2_000 } };
    const { commit, unread, left } = await kept(quick);
    expect(unread).toBeDefined();
    expect([filesOf(clone, commit), left]).toEqual([['src/b.txt', 'work.txt'], ['a.txt']]);
    expect(readdirSync(site.path)).toContain('pipe');
  });

  withPrivateClone('that puts a pipe where git reads is refused by its name, and soon [T13]', async (clone) => {
    await clone.agent('mkfifo src/.gitignore; echo work > work.txt');
    await expect(kept(clone)).rejects.toThrow(/src\/\.gitignore is a pipe/);
    await clone.agent('rm src/.gitignore; mkdir -p in/.git; mkfifo in/.git/HEAD');
    await expect(kept(clone)).rejects.toThrow(/in\/\.git\/HEAD is a pipe/);
    await clone.agent('rm -r in');
    expect(filesOf(clone, (await kept(clone)).commit)).toContain('work.txt');
    expect(readdirSync(`${clone.site.path}.fleet`).sort()).toEqual([
      'agent-git',
      'excludes',
      'history',
      'index',
      'mark.json',
      'store',
    ]);
  });

  withPrivateClone('hands in no object with a name that would write into a repository', async (clone) => {
    const { at, agent } = clone;
    const script = (
      name: string,
    ) => `B=$(echo x | git hash-object -w --stdin); T=$(printf "100644 blob $B\\tconfig\\n" | git mktree);
      R=$(printf "040000 tree $T\\t${name}\\n" | git mktree); git update-ref HEAD $(git commit-tree $R -p HEAD -m bad); git rev-parse HEAD`;
    for (const name of ['.GIT', '..']) {
      const { out } = await agent(script(name));
      const bad = out.trim();
      const { unread, commit } = await kept(clone);
      expect(unread).toMatch(/not sound/);
      expect([has(clone, bad), at.git(at.repository, 'rev-parse', `${commit}^`)]).toEqual([false, at.start]);
      await agent(`git update-ref HEAD ${at.start}`);
    }
  });

  withPrivateClone('is looked at while it goes on writing and committing', async (clone) => {
    const { site, agent } = clone;
    const going = agent(
      'n=0; while [ ! -e stop ]; do n=$((n+1)); echo $n > f$((n % 7)); rm -f f$((n % 5)); git add -A; git commit -qm $n; done 2>/dev/null',
    );
    for (let round = 0; round < 4; round += 1) await kept(clone);
    execFileSync('touch', [join(site.path, 'stop')]);
    await going;
    const { commit, left } = await kept(clone);
    expect([left, filesOf(clone, commit).includes('stop')]).toEqual([[], true]);
  });

  withPrivateClone('with a million refs and a large heap of junk is collected all the same', async (clone) => {
    const { at, agent } = clone;
    const { code } =
      await agent(`{ echo '# pack-refs with: peeled fully-peeled sorted '; seq -f '${at.start} refs/heads/r%07.0f' 1 1000000; echo '${at.start} refs/heads/x/one'; } > .git/packed-refs.new &&
      mv .git/packed-refs.new .git/packed-refs && truncate -s 10G .git/junk && mkdir .git/objects/zz && truncate -s 10G .git/objects/pack/tmp_pack_x && echo work > work.txt`);
    const { commit, unread } = await kept(clone);
    expect([code, unread, filesOf(clone, commit)]).toEqual([0, undefined, ['a.txt', 'src/b.txt', 'work.txt']]);
  });

  withPrivateClone('with a hundred thousand refs that lead nowhere is collected, and they are no work', async (clone) => {
    const { at, agent } = clone;
    const { code } =
      await agent(`{ seq -f '%040.0f refs/heads/r%06.0f' 1 100000 | awk '{ printf "%s refs/heads/r%06d\\n", $1, NR }'; echo '${at.start} refs/heads/x/one'; } > .git/packed-refs &&
      echo work > work.txt`);
    const { commit, unread, left } = await kept(clone);
    expect([code, unread, left, filesOf(clone, commit)]).toEqual([0, undefined, [], ['a.txt', 'src/b.txt', 'work.txt']]);
  });

  withPrivateClone('that makes files of 900 GB without content has them named, and the rest taken', async (clone) => {
    const { code } = await clone.agent(
      'truncate -s 900G huge && for n in 1 2 3; do truncate -s 2G junk$n; done && echo work > work.txt',
    );
    const { commit, left } = await kept(clone);
    expect([code, [...left].sort(), filesOf(clone, commit)]).toEqual([
      0,
      ['huge', 'junk1', 'junk2', 'junk3'],
      ['a.txt', 'src/b.txt', 'work.txt'],
    ]);
  });

  withPrivateClone(
    'keeps what only its index knows: sparse files, forced ones, links to commits, hidden flags',
    async (clone) => {
      const { at, agent } = clone;
      const { code, err } =
        await agent(`git update-index --skip-worktree src/b.txt && rm src/b.txt && git update-index --assume-unchanged a.txt && echo hidden > a.txt &&
      echo ignored > .git/info/exclude && echo i > ignored && git add -f ignored && mkdir lib && git update-index --add --cacheinfo 160000,${at.start},lib`);
      expect([code, err]).toEqual([0, '']);
      const { commit } = await kept(clone);
      expect(at.git(at.repository, 'ls-tree', '-r', '--name-only', commit).split('\n')).toEqual([
        'a.txt',
        'ignored',
        'lib',
        'src/b.txt',
      ]);
      expect(textOf(clone, commit, 'a.txt')).toBe('hidden');
    },
  );

  withPrivateClone('is told on when its last commit does not descend from where it began', async (clone) => {
    const { at, site, means, agent } = clone;
    await agent(
      'git checkout -q --orphan fresh && git commit -qm fresh && git branch -qf x/one && git checkout -q x/one && echo more > more.txt',
    );
    const done = await commitWork(site, { message: 'work', who, means }, at.env);
    const tip = await importBranch(site, { from: 'x/one', ref: 'refs/heads/x/one' }, at.env);
    expect([tip, at.git(at.repository, 'log', '--format=%s', tip)]).toEqual([done.commit, 'work\nfresh']);
  });

  withPrivateClone('leaves nothing of one task to the next [T13]', async (clone) => {
    const { at, site, agent } = clone;
    await agent(
      'echo "* text eol=crlf" > .gitattributes; echo work > work.txt; mkdir deep && cd deep && git init -q; chmod 000 ../src',
    );
    await kept(clone);
    await reset(site, { setupPaths: [] }, at.env);
    await provision(site, { branch: 'x/two', start: at.start, copyFiles: [], setupPaths: [] }, at.env);
    expect(readdirSync(site.path).sort()).toEqual(['.git', 'a.txt', 'src']);
    expect(readFileSync(join(site.path, 'src/b.txt'), 'utf8')).toBe('b\n');
    const { out } = await agent(
      'git status --porcelain -b; git for-each-ref --format="%(refname)" refs/heads; git count-objects',
    );
    expect(out).toBe('## x/two\nrefs/heads/x/two\n0 objects, 0 kilobytes\n');
  });
});
