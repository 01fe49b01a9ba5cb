import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, linkSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ground } from '../fixtures/ground.ts';
import { breakLinksOut } from './links-out.ts';
import { provision } from './provision.ts';
import { madeBySetup } from './setup-paths.ts';

/** A tree with what a set-up has put there, and a store beside it. */
async function furnished(at: ReturnType<typeof ground>, trust: 'own' | 'apart') {
  const site = { ...at.site('1', 'worktree'), trust };
  at.write('shop/.env', 'SECRET=1\n');
  await provision(site, { branch: 'x/one', start: at.start, copyFiles: ['.env'], setupPaths: [] }, at.env);
  const store = join(at.root, 'store');
  mkdirSync(store);
  mkdirSync(join(site.path, 'deps', 'inner'), { recursive: true });
  const stored = (name: string) => join(store, name);
  const inTree = (name: string | Buffer) => Buffer.concat([Buffer.from(`${site.path}/deps/`), Buffer.from(name)]);
  return { site, stored, inTree };
}

describe('hard links out of a tree [T11]', () => {
  it('are broken before agents of a lower level come, and what is written there changes nothing outside', async () => {
    using at = ground({ '.gitignore': 'deps\n.env\n', 'a.txt': 'a\n' });
    const { site, stored, inTree } = await furnished(at, 'apart');
    const odd = Buffer.from([0x66, 0xff, 0x2e, 0x6a, 0x73]);
    for (const [n, name] of ['pkg.js', 'inner/twice.js', odd, 'run'].entries()) {
      writeFileSync(stored(String(n)), `content ${n}\n`);
      linkSync(stored(String(n)), inTree(name));
    }
    linkSync(stored('1'), inTree('inner/again.js'));
    chmodSync(stored('3'), 0o755);
    // A tracked file is of the tree as well.
    writeFileSync(stored('a'), 'a\n');
    execFileSync('ln', ['-f', stored('a'), join(site.path, 'a.txt')]);
    execFileSync('mkfifo', [stored('pipe')]);
    linkSync(stored('pipe'), inTree('pipe'));
    chmodSync(join(site.path, 'deps', 'inner'), 0o555);
    const before = statSync(stored('0'));
    const { paths } = await madeBySetup(site, at.env);
    expect(paths).toEqual(['deps']);
    for (const name of ['pkg.js', 'inner/twice.js', 'inner/again.js', odd, 'run']) {
      expect(statSync(inTree(name)).nlink).toBe(1);
      appendFileSync(inTree(name), 'evil\n');
    }
    appendFileSync(join(site.path, 'a.txt'), 'evil\n');
    for (const n of [0, 1, 2, 3]) expect(readFileSync(stored(String(n)), 'utf8')).toBe(`content ${n}\n`);
    expect(readFileSync(stored('a'), 'utf8')).toBe('a\n');
    expect(readFileSync(inTree('inner/twice.js'), 'utf8')).toBe('content 1\nevil\n');
    expect(statSync(inTree('run')).mode & 0o777).toBe(0o755);
    expect(statSync(join(site.path, 'deps', 'inner')).mode & 0o777).toBe(0o555);
    expect(existsSync(inTree('pipe'))).toBe(false);
    expect(statSync(stored('0')).mtimeMs).toBe(before.mtimeMs);
    chmodSync(join(site.path, 'deps', 'inner'), 0o755);
  });

  it('are told from links that stay inside, which are left alone; a copied file is a copy', async () => {
    using at = ground({ '.gitignore': 'deps\n.env\n', 'a.txt': 'a\n' });
    const { site, inTree } = await furnished(at, 'apart');
    writeFileSync(inTree('one'), '1\n');
    linkSync(inTree('one'), inTree('two'));
    expect(await breakLinksOut(site)).toBe(0);
    expect(statSync(inTree('one')).ino).toBe(statSync(inTree('two')).ino);
    const env = join(site.path, '.env');
    expect(statSync(env).nlink).toBe(1);
    appendFileSync(env, 'evil\n');
    expect(readFileSync(join(site.repository, '.env'), 'utf8')).toBe('SECRET=1\n');
  });

  it('stay where agents are trusted like the user', async () => {
    using at = ground({ '.gitignore': 'deps\n.env\n' });
    const { site, stored, inTree } = await furnished(at, 'own');
    writeFileSync(stored('0'), 'content\n');
    linkSync(stored('0'), inTree('pkg.js'));
    await madeBySetup(site, at.env);
    expect(statSync(inTree('pkg.js')).nlink).toBe(2);
  });
});
