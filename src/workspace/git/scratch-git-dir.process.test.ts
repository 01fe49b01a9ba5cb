import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { bundlePrograms } from '../../platform/bundle.ts';
import { type GitGround, gitGround } from '../fixtures/git-ground.ts';
import { gitDirectory } from '../git-directory.ts';
import { updateRef } from '../history/branches.ts';
import { seatOf } from '../seat.ts';
import { git } from './git.ts';
import { ask } from './in-repository.ts';
import { fleetsOwn } from './location.ts';
import { lentGitDir, ownGitDir } from './scratch-git-dir.ts';

const scratchIn = ({ path }: GitGround): string[] =>
  readdirSync(join(path, 'tmp')).filter((name) => name.startsWith('fleet-git-'));

/** A program that asks a question of a repository, says so, and then goes on like this. */
async function programThat(ground: GitGround, repository: string, goesOn: string): Promise<string> {
  const program = join(ground.path, `asks-${randomUUID()}.mjs`);
  const programs = { 'in-repository': new URL('./in-repository.ts', import.meta.url) };
  const url = new URL('in-repository.mjs', bundlePrograms(programs));
  await writeFile(
    program,
    `import { ask } from ${JSON.stringify(String(url))};
     const { ok } = await ask(${JSON.stringify(repository)}, ['rev-parse', '--verify', 'refs/heads/main'], process.env);
     process.stdout.write(String(ok) + '\\n');
     ${goesOn}`,
  );
  return program;
}

describe('a scratch git directory that is shared', () => {
  it('goes with the process it serves, and after a kill -9 with the next one [R29]', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository();
    const ends = await programThat(ground, repo, '');
    expect(await promisify(execFile)(process.execPath, [ends], { env: ground.env })).toMatchObject({ stdout: 'true\n' });
    expect(scratchIn(ground)).toEqual([]);
    const stays = spawn(process.execPath, [await programThat(ground, repo, 'setInterval(() => {}, 1000);')], {
      env: ground.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => stays.stdout.once('data', resolve));
    const left = scratchIn(ground);
    expect(left).toHaveLength(1);
    // Of a process that is alive it is nobody else's to take away.
    await promisify(execFile)(process.execPath, [ends], { env: ground.env });
    expect(scratchIn(ground)).toEqual(left);
    stays.kill('SIGKILL');
    await new Promise((resolve) => stays.once('exit', resolve));
    await promisify(execFile)(process.execPath, [ends], { env: ground.env });
    expect(scratchIn(ground)).toEqual([]);
  });

  it('is made anew when the repository is set otherwise, and the one before goes with its last user', async () => {
    await using ground = await gitGround();
    const found = await gitDirectory(await ground.repository());
    const first = await lentGitDir(found, 'history', ground.env);
    const again = await lentGitDir(found, 'history', ground.env);
    expect(again.path).toBe(first.path);
    await ground.git(found.gitDir, 'config', 'core.eol', 'lf');
    const next = await lentGitDir(found, 'history', ground.env);
    expect(next.path).not.toBe(first.path);
    await first[Symbol.asyncDispose]();
    expect(existsSync(first.path)).toBe(true);
    await again[Symbol.asyncDispose]();
    expect(existsSync(first.path)).toBe(false);
    await next[Symbol.asyncDispose]();
    expect(existsSync(next.path)).toBe(true);
  });

  it('stays for whoever is given it, however many ask at once for the first time', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository();
    for (let turn = 0; turn < 5; turn += 1) {
      await ground.git(repo, 'config', 'core.eol', turn % 2 === 0 ? 'lf' : 'crlf');
      const asked = Array.from({ length: 12 }, () => ask(repo, ['rev-parse', '--verify', 'refs/heads/main'], ground.env));
      expect((await Promise.all(asked)).map(({ err }) => err)).toEqual(asked.map(() => ''));
    }
    expect(scratchIn(ground)).toHaveLength(1);
  });

  it('holds no setting, hook or attribute that the repository has, whatever it lends', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository();
    await ground.git(repo, 'config', 'core.fsmonitor', '/bin/false');
    await ground.git(repo, 'config', 'include.path', '/nowhere');
    await ground.git(repo, 'config', 'filter.evil.clean', 'evil');
    for (const lends of ['history', 'files'] as const) {
      await using lent = await lentGitDir(await gitDirectory(repo), lends, ground.env);
      expect(readFileSync(join(lent.path, 'config'), 'utf8')).not.toMatch(/fsmonitor|include|evil/);
      expect(existsSync(join(lent.path, 'hooks'))).toBe(false);
    }
  });
});

describe('refs that are moved through links', () => {
  it('move also where they are packed, while the git of the user packs them over and over', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository();
    const seat = await seatOf(repo);
    if (!seat) throw new Error('there is no repository');
    const commits = [await ground.git(repo, 'rev-parse', 'main')];
    for (let n = 0; n < 4; n += 1) commits.push(await ground.commit(repo, commits.at(-1) ?? '', { 'n.txt': `${n}\n` }));
    const names = Array.from({ length: 12 }, (_, n) => `refs/fleet/test/${n}`);
    let isOver = false;
    const packing = (async () => {
      // Where another git has the lock it fails, as it always did.
      while (!isOver) await ground.git(repo, 'pack-refs', '--all').catch(() => undefined);
    })();
    const moved = await Promise.all(
      names.map(async (name) => {
        for (const commit of commits) {
          const end = await vi.waitFor(async () => {
            const one = await updateRef(seat, [name, commit], ground.env);
            expect(one.err).not.toMatch(/lock/);
            return one;
          });
          if (end.code !== 0) return end.err;
        }
        return 'moved';
      }),
    );
    isOver = true;
    await packing;
    expect(moved).toEqual(names.map(() => 'moved'));
    await updateRef(seat, ['-d', names[0] ?? ''], ground.env);
    const said = await ground.git(repo, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/fleet/test');
    expect(said.split('\n').sort()).toEqual(
      names
        .slice(1)
        .map((name) => `${name} ${commits.at(-1)}`)
        .sort(),
    );
    expect(lstatSync(join(repo, '.git/packed-refs')).isFile()).toBe(true);
    await using lent = await lentGitDir(seat, 'files', ground.env);
    expect(readlinkSync(join(lent.path, 'packed-refs'))).toBe(join(repo, '.git/packed-refs'));
  });

  it('are logged where the user looks for it, in their name', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository();
    const from = await ground.git(repo, 'rev-parse', 'main');
    const to = await ground.commit(repo, from, { 'n.txt': 'n\n' });
    const linked = join(ground.path, 'linked');
    await ground.git(repo, 'worktree', 'add', '-q', '-b', 'other', linked, from);
    for (const [place, branch] of [
      [repo, 'main'],
      [linked, 'other'],
    ] as const) {
      const moved = await ask(place, ['update-ref', '-m', 'why', `refs/heads/${branch}`, to], ground.env, { mode: 'user' });
      expect(moved.err).toBe('');
      for (const name of ['HEAD', branch])
        expect(await ground.git(place, 'log', '-g', '-1', '--format=%gs %gn', name)).toBe('why User');
    }
  });
});

/** What keeps a scratch git directory from being all that git is told: see the decision on one way to run git. */
describe('what git does with a HEAD that is a link', () => {
  it('takes no directory for its own in which it is one', async () => {
    await using ground = await gitGround();
    const found = await gitDirectory(await ground.repository());
    await using own = await ownGitDir(found, {}, ground.env);
    const place = join(ground.path, 'linked-head');
    await mkdir(join(place, 'refs'), { recursive: true });
    for (const [from, name] of [
      [join(own.path, 'objects'), 'objects'],
      [join(own.path, 'config'), 'config'],
      [join(found.gitDir, 'HEAD'), 'HEAD'],
    ] as const)
      symlinkSync(from, join(place, name));
    const end = await git(fleetsOwn({ gitDir: place }), ['rev-parse', '--git-dir'], ground.env, { mode: 'closed' });
    expect(end.err).toContain('not a git repository');
  });
});
