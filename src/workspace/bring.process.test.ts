import { appendFile, chmod, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isFault } from '../domain/fault.ts';
import { bring } from './bring.ts';
import { type GitGround, gitGround } from './fixtures/git-ground.ts';
import type { Site } from './site.ts';

/** A clone that shares the repository's objects, with one commit of its own. */
async function cloned(ground: GitGround) {
  const repository = await ground.repository();
  const path = join(ground.path, 'clone');
  await ground.git(ground.path, 'clone', '-q', '--shared', repository, path);
  await ground.write(path, { 'c.txt': 'c\n', '.gitattributes': '* filter=evil\n' });
  await ground.git(path, 'add', '-A');
  await ground.git(path, 'commit', '-q', '-m', 'of the clone');
  const site: Site = { id: 'w1', repository, path, isolation: 'clone' };
  return { repository, path, site, head: await ground.git(path, 'rev-parse', 'HEAD') };
}

const REF = 'refs/fleet/w1';
const refused = (site: Site, from: string, { env }: GitGround) =>
  bring(site, { from, ref: REF }, env).then(
    () => undefined,
    (error: unknown) => (isFault(error) ? error.message : String(error)),
  );

describe('bringing the work of a clone', () => {
  it('takes HEAD, a branch, a packed ref or an id, checked, and again [WORK-13]', async () => {
    await using ground = await gitGround();
    const { repository, path, site, head } = await cloned(ground);
    for (const from of ['HEAD', 'main', 'refs/heads/main', head]) {
      expect(await bring(site, { from, ref: REF }, ground.env)).toBe(head);
    }
    await ground.write(path, { 'd.txt': 'd\n' });
    await ground.git(path, 'add', '-A');
    await ground.git(path, 'commit', '-q', '-m', 'more');
    await ground.git(path, 'gc', '-q');
    const packed = await ground.git(path, 'rev-parse', 'HEAD');
    expect(await bring(site, { from: 'main', ref: REF }, ground.env)).toBe(packed);
    expect(await ground.git(repository, 'rev-parse', REF)).toBe(packed);
    expect(await ground.git(repository, 'fsck', '--strict')).not.toMatch(/error|missing/);
    expect(await ground.git(repository, 'for-each-ref', '--format=%(refname)')).toBe(`refs/fleet/w1\nrefs/heads/main`);
    expect(await readdir(join(repository, '.git'))).not.toContain('FETCH_HEAD');
    expect(await ground.leftovers()).toEqual([]);
  });

  it('runs nothing of the clone, whatever an agent planted there [WORK-13] [T11]', async () => {
    await using ground = await gitGround();
    const { path, site, head } = await cloned(ground);
    const { command } = await ground.canary('clone');
    const text = [
      `[core]\n\tfsmonitor = ${command}\n\tsshCommand = ${command}\n\thooksPath = evil-hooks\n\talternateRefsCommand = ${command}\n\tpager = ${command}`,
      `[filter "evil"]\n\tclean = ${command}\n\tsmudge = ${command}\n\tprocess = ${command}`,
      `[uploadpack]\n\tpackObjectsHook = ${command}`,
      `[remote "origin"]\n\turl = ext::${command}\n\tuploadpack = ${command}\n\tpromisor = true\n[extensions]\n\tpartialClone = origin`,
      '[protocol "ext"]\n\tallow = always\n[include]\n\tpath = /nowhere',
    ].join('\n');
    await appendFile(join(path, '.git/config'), text);
    for (const folder of ['.git/hooks', 'evil-hooks', '.git/evil-hooks']) {
      await mkdir(join(path, folder), { recursive: true });
      for (const hook of ['reference-transaction', 'post-checkout', 'pre-receive', 'pre-auto-gc', 'proc-receive', 'update']) {
        await writeFile(join(path, folder, hook), `#!/bin/sh\n${command} </dev/null\n`);
        await chmod(join(path, folder, hook), 0o755);
      }
    }
    expect(await bring(site, { from: 'HEAD', ref: REF }, ground.env)).toBe(head);
    expect(await ground.canaries()).toEqual([]);
  });

  it('takes nothing that lies outside of the clone', async () => {
    await using ground = await gitGround();
    const { repository, path, site } = await cloned(ground);
    const secret = await ground.repository('secret', { 'key.txt': 'secret\n' });
    const stolen = await ground.git(secret, 'rev-parse', 'HEAD');
    await writeFile(join(path, '.git/objects/info/alternates'), `${join(secret, '.git/objects')}\n`);
    expect(await refused(site, stolen, ground)).toMatch(/could not bring/);
    await rm(join(path, '.git/objects/pack'), { recursive: true });
    await symlink(join(secret, '.git/objects/pack'), join(path, '.git/objects/pack'));
    const [folder, name] = [stolen.slice(0, 2), stolen.slice(2)];
    await mkdir(join(path, '.git/objects', folder), { recursive: true });
    await symlink(join(secret, '.git/objects', folder, name), join(path, '.git/objects', folder, name));
    expect(await refused(site, stolen, ground)).toMatch(/could not bring/);
    await rm(join(path, '.git/refs/heads/main'));
    await symlink(join(secret, '.git/refs/heads/main'), join(path, '.git/refs/heads/main'));
    expect(await refused(site, 'main', ground)).toMatch(/has no refs\/heads\/main/);
    await rename(join(path, '.git'), join(path, 'moved'));
    await writeFile(join(path, '.git'), `gitdir: ${join(secret, '.git')}\n`);
    expect(await refused(site, 'HEAD', ground)).toMatch(/not the directory it was made as/);
    await rm(join(path, '.git'));
    await symlink(join(secret, '.git'), join(path, '.git'));
    expect(await refused(site, 'HEAD', ground)).toMatch(/not the directory it was made as/);
    await expect(ground.git(repository, 'cat-file', '-e', stolen)).rejects.toThrow();
    await expect(ground.git(repository, 'rev-parse', '--verify', REF)).rejects.toThrow();
  });

  it('refuses refs that are garbage, endless, or lead out of the clone', async () => {
    await using ground = await gitGround();
    const { path, site } = await cloned(ground);
    const ref = join(path, '.git/refs/heads/bad');
    for (const text of ['ref: refs/heads/bad\n', 'ref: refs/../../../x\n', 'x'.repeat(10_000), '', 'zz\n']) {
      await writeFile(ref, text);
      expect(await refused(site, 'bad', ground)).toMatch(/not a ref|has no/);
    }
    await writeFile(join(path, '.git/packed-refs'), '\0\0 garbage refs/heads/odd\n^^^\n');
    expect(await refused(site, 'odd', ground)).toMatch(/not a ref|has no/);
    expect(await refused(site, '../../etc/passwd', ground)).toMatch(/not a ref|has no/);
    expect(await refused(site, '0'.repeat(40), ground)).toMatch(/could not bring/);
  });

  it('refuses objects that git does not hold for sound', async () => {
    await using ground = await gitGround();
    const { repository, path, site } = await cloned(ground);
    const blob = await ground.git(path, 'hash-object', '-w', 'c.txt');
    await writeFile(join(path, 'tree'), Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')]));
    const tree = await ground.git(path, 'hash-object', '-t', 'tree', '-w', '--literally', 'tree');
    const bad = await ground.git(path, 'commit-tree', '-m', 'bad', tree);
    expect(await refused(site, bad, ground)).toMatch(/hasDotgit|contains '\.git'/i);
    await expect(ground.git(repository, 'cat-file', '-e', bad)).rejects.toThrow();
    // A loose object whose content is another than its name says.
    const good = await ground.git(path, 'rev-parse', 'HEAD');
    const file = join(path, '.git/objects', good.slice(0, 2), good.slice(2));
    const other = join(path, '.git/objects', blob.slice(0, 2), blob.slice(2));
    await chmod(file, 0o644);
    await writeFile(file, await readFile(other));
    expect(await refused(site, 'HEAD', ground)).toMatch(/could not bring/);
  });
});

it('a worktree shares everything: only the ref is written', async () => {
  await using ground = await gitGround();
  const repository = await ground.repository();
  const path = join(ground.path, 'tree');
  await ground.git(repository, 'worktree', 'add', '-q', '-b', 'claude/x/1', path);
  await ground.write(path, { 'w.txt': 'w\n' });
  await ground.git(path, 'add', '-A');
  await ground.git(path, 'commit', '-q', '-m', 'w');
  const head = await ground.git(path, 'rev-parse', 'HEAD');
  const site: Site = { id: 'w1', repository, path, isolation: 'worktree' };
  for (const from of ['HEAD', 'claude/x/1', head]) expect(await bring(site, { from, ref: REF }, ground.env)).toBe(head);
  expect(await refused(site, 'nothing', ground)).toMatch(/there is no commit nothing/);
  await writeFile(join(path, '.git'), `gitdir: ${join(await ground.repository('secret'), '.git')}\n`);
  expect(await bring(site, { from: 'HEAD', ref: REF }, ground.env)).toBe(head);
});
