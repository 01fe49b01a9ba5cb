import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ground } from '../fixtures/ground.ts';
import { provision, reset } from './provision.ts';
import { copyFingerprint, keepSetupCopy, takeSetupCopy } from './setup-copy.ts';
import { dropSetup, madeBySetup } from './setup-paths.ts';

const FILES = { '.gitignore': 'deps\n', 'a.txt': 'a\n' };

/** A tree with what a set-up has put there. */
async function furnished(at: ReturnType<typeof ground>) {
  const site = { ...at.site('1', 'worktree'), trust: 'sandboxed' as const };
  await provision(site, { branch: 'x/one', start: at.start, copyFiles: [], setupPaths: [] }, at.env);
  at.write('fleet/workspaces/shop/1/deps/lib/index.js', 'lib\n');
  at.write('fleet/workspaces/shop/1/deps/run', 'run\n');
  const inTree = (name: string) => join(site.path, 'deps', name);
  chmodSync(inTree('run'), 0o755);
  symlinkSync('lib/index.js', inTree('link'));
  const { paths } = await madeBySetup(site, at.env);
  return { site, inTree, paths };
}

describe('a copy of what a set-up made [WORK-03]', () => {
  it('comes back as it was, whatever happened in the tree, and survives clearing', async () => {
    using at = ground(FILES);
    const { site, inTree, paths } = await furnished(at);
    const fingerprint = await keepSetupCopy(site, paths);
    expect(fingerprint).toBeTypeOf('string');
    writeFileSync(inTree('lib/index.js'), 'evil\n');
    writeFileSync(inTree('more'), 'evil\n');
    await reset(site, { setupPaths: [] }, at.env);
    expect(existsSync(inTree('.'))).toBe(false);
    expect(await copyFingerprint(site, paths)).toBe(fingerprint);
    expect(await takeSetupCopy(site, paths)).toBe(true);
    const laid = await provision(site, { branch: 'x/two', start: at.start, copyFiles: [], setupPaths: paths }, at.env);
    expect(laid.how).toBe('renewed');
    expect(readFileSync(inTree('lib/index.js'), 'utf8')).toBe('lib\n');
    expect(existsSync(inTree('more'))).toBe(false);
    expect(readlinkSync(inTree('link'))).toBe('lib/index.js');
    expect(statSync(inTree('run')).mode & 0o777).toBe(0o755);
    // What is written in the tree never reaches the copy.
    appendFileSync(inTree('run'), 'evil\n');
    expect(await copyFingerprint(site, paths)).toBe(fingerprint);
    appendFileSync(join(`${site.path}.fleet`, 'setup', 'deps', 'run'), 'evil\n');
    expect(await copyFingerprint(site, paths)).not.toBe(fingerprint);
  });

  it('is not made of what is no file, directory or link, and nothing is left of the try', async () => {
    using at = ground(FILES);
    const { site, inTree, paths } = await furnished(at);
    execFileSync('mkfifo', [inTree('pipe')]);
    expect(await keepSetupCopy(site, paths)).toBeUndefined();
    expect(existsSync(join(`${site.path}.fleet`, 'setup'))).toBe(false);
    expect(existsSync(join(`${site.path}.fleet`, 'setup.new'))).toBe(false);
    expect(await takeSetupCopy(site, paths)).toBe(false);
  });

  it('is not put where something is, or behind a link', async () => {
    using at = ground(FILES);
    const { site, inTree, paths } = await furnished(at);
    await keepSetupCopy(site, paths);
    expect(await takeSetupCopy(site, paths)).toBe(false);
    await dropSetup(site, paths, at.env);
    expect(existsSync(inTree('.'))).toBe(false);
    symlinkSync(at.root, join(site.path, 'deps'));
    expect(await takeSetupCopy(site, ['deps/lib'])).toBe(false);
    expect(existsSync(join(at.root, 'lib'))).toBe(false);
  });
});

describe('what a set-up made, taken away', () => {
  it('takes no file of a commit with it for good', async () => {
    using at = ground(FILES);
    const { site, inTree, paths } = await furnished(at);
    writeFileSync(inTree('tracked'), 'of a commit\n');
    at.git(site.path, 'add', '-f', 'deps/tracked');
    at.git(site.path, 'commit', '-qm', 'odd');
    const tip = at.git(site.path, 'rev-parse', 'HEAD');
    await reset(site, { setupPaths: paths }, at.env);
    expect(existsSync(inTree('run'))).toBe(true);
    await dropSetup(site, paths, at.env);
    await provision(site, { branch: 'x/two', start: tip, copyFiles: [], setupPaths: [] }, at.env);
    expect(readFileSync(inTree('tracked'), 'utf8')).toBe('of a commit\n');
    expect(existsSync(inTree('run'))).toBe(false);
    expect(at.git(site.path, 'status', '--porcelain', '--ignored')).toBe('');
  });
});
