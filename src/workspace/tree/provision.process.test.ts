import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ground, who } from '../fixtures/ground.ts';
import { listSites } from '../list-sites.ts';
import { commitWork } from '../save/commit-work.ts';
import { save } from '../save/save.ts';
import { provision, reset } from './provision.ts';
import { emptyTrash, removeSite } from './remove-site.ts';
import { madeBySetup } from './setup-paths.ts';

const plain = { copyFiles: [], setupPaths: [] };

describe.each(['worktree', 'clone'] as const)('a site as %s', (isolation) => {
  it('is laid out on a branch, worked in, kept, cleared, renewed and taken away', async () => {
    using at = ground();
    const { env, start } = at;
    const site = at.site('1', isolation);
    expect(await provision(site, { branch: 'x/one', start, ...plain }, env)).toEqual({ how: 'new', head: start, skipped: [] });
    expect(at.git(site.path, 'status', '--porcelain', '-b')).toBe('## x/one');
    writeFileSync(join(site.path, 'a.txt'), 'changed\n');
    writeFileSync(join(site.path, 'new.txt'), 'new\n');
    const kept = await save(site, { ref: 'refs/fleet/keep/1', message: 'kept', who }, env);
    expect(kept).toMatchObject({ head: start, dirty: true, left: [] });
    expect(at.git(at.repository, 'show', 'refs/fleet/keep/1:new.txt')).toBe('new');
    expect(at.git(site.path, 'status', '--porcelain')).toBe('M a.txt\n?? new.txt');
    const done = await commitWork(site, { message: 'work', who }, env);
    expect(done.made).toBe(true);
    expect(at.git(site.path, 'status', '--porcelain')).toBe('');
    expect(at.git(site.path, 'rev-parse', 'x/one')).toBe(done.commit);
    expect(await commitWork(site, { message: 'again', who }, env)).toEqual({ commit: done.commit, made: false });
    expect(await save(site, { ref: 'refs/fleet/keep/1', message: 'kept', who }, env)).toMatchObject({
      commit: done.commit,
      dirty: false,
    });
    expect(await provision(site, { branch: 'x/one', start, ...plain }, env)).toMatchObject({ how: 'kept', head: done.commit });
    writeFileSync(join(site.path, 'left.txt'), 'left\n');
    await reset(site, { setupPaths: [] }, env);
    expect(existsSync(join(site.path, 'left.txt'))).toBe(false);
    expect(await provision(site, { branch: 'x/two', start, ...plain }, env)).toMatchObject({ how: 'renewed', head: start });
    expect(readFileSync(join(site.path, 'a.txt'), 'utf8')).toBe('a\n');
    expect(existsSync(join(site.path, 'new.txt'))).toBe(false);
    expect(at.git(site.path, 'status', '--porcelain', '-b', '--ignored')).toBe('## x/two');
    expect(await listSites(join(at.root, 'fleet/workspaces'))).toEqual([
      { path: site.path, mark: { id: site.id, repository: site.repository, isolation } },
    ]);
    await removeSite(site, { trash: at.trash }, env);
    expect(at.git(at.repository, 'worktree', 'list').split('\n')).toHaveLength(1);
    expect(await emptyTrash(at.trash, { forMs: 10_000 })).toEqual({ left: 0, stays: [] });
    expect(await listSites(join(at.root, 'fleet/workspaces'))).toEqual([]);
    expect(at.git(at.repository, 'status', '--porcelain')).toBe('');
    expect(at.git(at.repository, 'fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('keeps through a renewal what the set-up has made, and copies files again [WORK-03]', async () => {
    using at = ground({ '.gitignore': 'deps\n.env\n', 'a.txt': 'a\n' });
    const { env, start } = at;
    const site = at.site('1', isolation);
    at.write('shop/.env', 'SECRET=1\n');
    const wish = { start, copyFiles: ['.env', 'missing'], setupPaths: [] };
    expect(await provision(site, { branch: 'x/one', ...wish }, env)).toMatchObject({ skipped: ['missing'] });
    at.write('fleet/workspaces/shop/1/deps/lib/index.js', 'lib');
    const made = await madeBySetup(site, env);
    expect(made.paths).toEqual(['deps']);
    writeFileSync(join(site.path, '.env'), 'SECRET=of the task\n');
    at.write('fleet/workspaces/shop/1/out/junk', 'junk');
    await reset(site, { setupPaths: made.paths }, env);
    expect(existsSync(join(site.path, '.env'))).toBe(false);
    at.write('shop/.env', 'SECRET=2\n');
    await provision(site, { branch: 'x/two', ...wish, setupPaths: made.paths }, env);
    expect(readFileSync(join(site.path, '.env'), 'utf8')).toBe('SECRET=2\n');
    expect(existsSync(join(site.path, 'out'))).toBe(false);
    expect(await madeBySetup(site, env)).toEqual(made);
  });
});
