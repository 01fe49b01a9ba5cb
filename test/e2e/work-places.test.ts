import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fullOnly } from '../full-only.ts';
import { type WorkHouse, workHouse } from '../support/work-house.ts';
import { placeAt as at, makeKnown, type Place, place as placeIn, standing } from '../support/work-place.ts';

let house: WorkHouse;
beforeAll(async () => {
  house = await workHouse([], { settings: ['max_repairs=0', 'max_concurrent=20', 'grace_seconds=1', 'guarded_paths=[]'] });
});
afterAll(async () => house[Symbol.asyncDispose]());

const place = (name: string, flags: readonly string[] = [], prepare?: (place: Place) => Promise<void>) =>
  placeIn(house, name, flags, prepare);
const placeAt = (path: string, name: string) => at(house, path, name);
const known = (path: string, name: string, flags: readonly string[]) => makeKnown(house, path, name, flags);

async function emptyRepository(): Promise<string> {
  const path = join(house.directory, 'empty');
  await house.git(house.directory, 'init', '-q', path);
  return path;
}

const simple = 'edit feature.txt it works\ndone added';
/** Words a person reads. */
const shown = async (id: string) => (await house.ok(['task', 'show', id])).out;

describe('a repository', () => {
  fullOnly('without a commit is waited for, in clear words', async () => {
    const { task, git, write } = await place('unborn');
    await git('update-ref', '-d', 'refs/heads/main');
    const id = await task(simple);
    expect(standing(await house.rest(id))).toMatch(/^blocked: setup: .*there is no branch "main"/);
    expect(await shown(id)).toContain('there is no branch "main"');
    await write('README', 'hello\n');
    await git('add', '.');
    await git('commit', '-qm', 'first');
    await house.ok(['task', 'retry', id]);
    expect(standing(await house.sees(id, ({ phase }) => phase.state === 'done'))).toBe('done');
    expect(await git('show', 'main:feature.txt')).toBe('it works');
    expect(await git('status', '--porcelain')).toBe('');
    const refused = await house.fleet(['project', 'add', await emptyRepository()]);
    expect(refused.err).toContain('has no commit yet');
  });

  fullOnly('without a working tree gets the work on its branch', async () => {
    const origin = await house.repository('origin of bare');
    const path = join(house.directory, 'bare.git');
    await house.git(house.directory, 'clone', '-q', '--bare', origin, path);
    await known(path, 'bare', []);
    const { task, git } = placeAt(path, 'bare');
    expect(standing(await house.rest(await task(simple)))).toBe('done');
    expect(await git('show', 'main:feature.txt')).toBe('it works');
  });

  fullOnly('with a detached HEAD asks for a target, and its checkout stays where it is', async () => {
    const { task, git } = await place('detached', [], async (one) => void (await one.git('checkout', '-q', '--detach')));
    const head = await git('rev-parse', 'HEAD');
    const asked = await house.rest(await task(simple));
    expect(standing(asked)).toMatch(/^blocked: setup: .*detached HEAD/);
    const told = await house.rest(await task(simple, '--target-branch', 'main'));
    expect(standing(told)).toBe('done');
    expect(await git('show', 'main:feature.txt')).toBe('it works');
    expect(await git('rev-parse', 'HEAD')).toBe(head);
    expect(await git('status', '--porcelain')).toBe('');
  });

  it('with another branch checked out, and dirty, gets the work and keeps its files [WORK-08]', async () => {
    const { task, git, write, path } = await place('elsewhere', ['--target-branch', 'main'], async (one) => {
      await one.git('checkout', '-q', '-b', 'mine');
    });
    await write('README', 'half a thought\n');
    await write('untracked', 'another\n');
    expect(standing(await house.rest(await task(simple)))).toBe('done');
    expect(await git('show', 'main:feature.txt')).toBe('it works');
    expect(await git('status', '--porcelain')).toBe('M README\n?? untracked');
    expect(await readFile(join(path, 'README'), 'utf8')).toBe('half a thought\n');
    expect(await git('symbolic-ref', 'HEAD')).toBe('refs/heads/mine');
  });

  fullOnly('that is itself a linked worktree lands where it is checked out', async () => {
    const main = await house.repository('main of linked');
    const path = join(house.directory, 'linked');
    await house.git(main, 'worktree', 'add', '-q', '-b', 'side', path);
    await known(path, 'linked', []);
    const { task, git } = placeAt(path, 'linked');
    expect(standing(await house.rest(await task(simple)))).toBe('done');
    expect(await readFile(join(path, 'feature.txt'), 'utf8')).toBe('it works\n');
    expect(await git('status', '--porcelain')).toBe('');
    expect((await house.git(main, 'status', '--porcelain')).out).toBe('');
    expect(await git('ls-tree', '--name-only', 'main')).toBe('README');
    expect(await git('rev-parse', 'side^2^')).toBe(await git('rev-parse', 'main'));
  });

  fullOnly('with a submodule and with files of git-lfs, which is not there, stays as it is', async () => {
    const inner = await house.repository('inner');
    const pointer =
      'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n';
    const { task, git, path } = await place('odd', [], async (one) => {
      await one.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'lib');
      await one.write('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n');
      await one.write('large.bin', pointer);
      await one.git('add', '-A');
      await one.git('commit', '-qm', 'odd');
      for (const [key, value] of [
        ['clean', 'git-lfs clean -- %f'],
        ['smudge', 'git-lfs smudge -- %f'],
        ['required', 'true'],
      ])
        await one.git('config', `filter.lfs.${key}`, value ?? '');
    });
    const lib = await git('rev-parse', 'main:lib');
    const id = await task('sh cp large.bin seen.txt; ls -a lib > lib.txt\nedit feature.txt it works\ndone ok');
    expect(standing(await house.rest(id))).toBe('done');
    expect(await git('show', 'main:seen.txt')).toBe(pointer.trim());
    expect(await git('show', 'main:large.bin')).toBe(pointer.trim());
    expect(await git('rev-parse', 'main:lib')).toBe(lib);
    expect(await readFile(join(path, 'large.bin'), 'utf8')).toBe(pointer);
    expect(await readFile(join(path, 'lib', 'README'), 'utf8')).toBe('hello\n');
    expect(await git('diff', '--name-only', '--cached')).toBe('');
    // A file that only the missing program could write into the checkout waits, and is not written without it.
    const waits = await house.rest(await task('edit new.bin more\ndone ok'));
    expect(standing(waits)).toMatch(/^blocked: checkout: .*new.bin needs the filter lfs/);
    expect(await git('show', `${waits.work?.tip}:new.bin`)).toBe('more');
    expect(await git('diff', '--name-only', '--cached')).toBe('');
  });

  it('with hostile names of branches and files, and links, is landed in byte for byte [T11]', async () => {
    const target = 'feat/$(touch${IFS}canary);`touch`&é|"quoted"';
    const name = 'a "b" \'c\' ;$(touch canary)';
    const outside = join(house.directory, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'file'), 'not theirs\n');
    const path = await house.repository(name);
    const { task, git, commit } = placeAt(path, 'names');
    await commit('dir/file', 'tracked\n');
    await git('checkout', '-q', '-b', target);
    await known(path, 'names', []);
    const id = await task(
      [
        'sh <<END',
        `printf 1 > '-rf'; printf 2 > ':(glob)*'; printf 3 > 'a  b '; printf 4 > "$(printf 'new\\nline')"; printf 5 > '"$(touch canary)"'; printf 6 > "$(printf 'byte\\377')"`,
        `rm -r dir; ln -s '${outside}' dir; ln -s /etc/passwd passwd`,
        'END',
        'done named',
      ].join('\n'),
      '--title',
      '--upload-pack=touch canary; $(touch canary) `touch canary`',
    );
    const task1 = await house.rest(id);
    expect(standing(task1)).toBe('done');
    const files = await git('ls-tree', '-r', '-z', '--name-only', target);
    expect(
      files
        .split('\0')
        .filter((file) => file !== '')
        .toSorted(),
    ).toEqual(['-rf', ':(glob)*', 'a  b ', 'new\nline', '"$(touch canary)"', 'byte\ufffd', 'dir', 'passwd', 'README'].toSorted());
    expect(await git('status', '--porcelain')).toBe('');
    expect(await readlink(join(path, 'dir'))).toBe(outside);
    expect(await readFile(join(outside, 'file'), 'utf8')).toBe('not theirs\n');
    expect((await lstat(join(path, 'passwd'))).isSymbolicLink()).toBe(true);
    const shell = await house.git(house.directory, 'ls-files');
    expect(shell.code).not.toBe(0);
    for (const where of [path, house.directory, house.home]) expect(existsSync(join(where, 'canary'))).toBe(false);
  });

  it('that has been taken over runs nothing of its own in our git [WORK-13] [T11]', async () => {
    const canary = join(house.directory, 'canary of hostile');
    const evil = join(house.directory, 'evil.sh');
    await writeFile(evil, `#!/bin/sh\necho "$0 $*" >> '${canary}'\ncat\n`);
    await chmod(evil, 0o755);
    const { task, path } = await place('hostile', ['--verify', 'test -f feature.txt'], async (one) => {
      await one.write('old.dat', 'raw\n');
      await one.write('.gitattributes', '*.dat filter=evil diff=evil merge=evil\n');
      await one.git('add', '-A');
      await one.git('commit', '-qm', 'attributes');
      const hooks = [
        'pre-commit',
        'commit-msg',
        'post-commit',
        'post-checkout',
        'post-merge',
        'reference-transaction',
        'pre-push',
        'post-index-change',
        'pre-auto-gc',
        'post-rewrite',
      ];
      for (const hook of hooks) {
        await writeFile(join(one.path, '.git', 'hooks', hook), `#!/bin/sh\necho ${hook} >> '${canary}'\n`);
        await chmod(join(one.path, '.git', 'hooks', hook), 0o755);
      }
      const settings = {
        'core.fsmonitor': `'${evil}'`,
        'filter.evil.clean': `'${evil}' clean`,
        'filter.evil.smudge': `'${evil}' smudge`,
        'filter.evil.process': `'${evil}' process`,
        'diff.evil.textconv': `'${evil}' textconv`,
        'diff.evil.command': `'${evil}' diff`,
        'merge.evil.driver': `'${evil}' merge`,
        'diff.external': `'${evil}' external`,
        'core.pager': `'${evil}' pager`,
        'core.editor': `'${evil}' editor`,
        'core.sshCommand': `'${evil}' ssh`,
        'gpg.program': `'${evil}' gpg`,
        'commit.gpgSign': 'true',
        'alias.status': `!'${evil}' alias`,
      };
      for (const [key, value] of Object.entries(settings)) await house.git(one.path, 'config', key, value);
    });
    await rm(canary, { force: true });
    const filtered = await task('edit new.dat raw\nedit feature.txt too\ndone ok');
    expect(standing(await house.rest(filtered))).toMatch(/^blocked: checkout: .*new.dat needs the filter evil/);
    expect((await house.ok(['task', 'diff', filtered])).out).toContain('+raw');
    const id = await task(simple);
    expect(standing(await house.rest(id))).toBe('done');
    await house.ok(['blame', `${path}/feature.txt:1`, '--json']);
    await house.ok(['task', 'restore', id]);
    expect(existsSync(canary) ? await readFile(canary, 'utf8') : 'nothing ran').toBe('nothing ran');
    expect(await readFile(join(path, 'feature.txt'), 'utf8')).toBe('it works\n');
  });
});
