import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ground } from '../fixtures/ground.ts';
import { sidecarDir } from '../site.ts';
import { provision } from '../tree/provision.ts';
import { removeSite } from '../tree/remove-site.ts';
import { putAside, removeAside } from './put-aside.ts';

const plain = { copyFiles: [], setupPaths: [] };

describe.each(['worktree', 'clone'] as const)('a site as %s that is put aside', (isolation) => {
  it('is moved whole, unread, with the reason, and git of the project knows nothing of it any more', async () => {
    using at = ground();
    const { env, start } = at;
    const site = at.site('1', isolation);
    await provision(site, { branch: 'x/one', start, ...plain }, env);
    writeFileSync(join(site.path, 'mine.txt'), 'mine\n');
    execFileSync('mkfifo', [join(site.path, '.gitignore')]);
    const path = join(at.root, 'fleet/aside/1-now');
    const aside = { path, reason: { why: 'a pipe' }, ref: 'refs/fleet/kept/task/run' };
    await putAside(site, aside, env);
    expect(readFileSync(join(path, 'tree/mine.txt'), 'utf8')).toBe('mine\n');
    expect(existsSync(join(path, 'tree.fleet/mark.json'))).toBe(true);
    expect(JSON.parse(readFileSync(join(path, 'reason.json'), 'utf8'))).toMatchObject({
      why: 'a pipe',
      from: site.path,
      isolation,
    });
    expect([existsSync(site.path), existsSync(sidecarDir(site.path))]).toEqual([false, false]);
    expect(at.git(at.repository, 'worktree', 'list').split('\n')).toHaveLength(1);
    // Once more, as after a crash, changes nothing; its branch can be worked on elsewhere.
    await putAside(site, aside, env);
    expect(readFileSync(join(path, 'tree/mine.txt'), 'utf8')).toBe('mine\n');
    const other = at.site('2', isolation);
    await provision(other, { branch: 'x/one', start, ...plain }, env);
    await removeSite(other, { trash: at.trash }, env);
    await removeAside(path, { trash: at.trash });
    await removeAside(path, { trash: at.trash });
    expect(existsSync(path)).toBe(false);
  });

  it('may be a directory that nobody may write, and is not touched when it is of another', async () => {
    using at = ground();
    const { env, start } = at;
    const site = at.site('1', isolation);
    await provision(site, { branch: 'x/one', start, ...plain }, env);
    chmodSync(site.path, 0o500);
    const path = join(at.root, 'fleet/aside/1-now');
    const aside = { path, reason: { why: 'no rights' }, ref: 'refs/fleet/kept/task/run' };
    const foreign = { ...site, id: 'ws_9' };
    await expect(putAside(foreign, aside, env)).rejects.toThrow(`is the workspace ${site.id}`);
    expect(existsSync(site.path)).toBe(true);
    await putAside(site, aside, env);
    expect(readdirSync(join(path, 'tree'))).toContain('a.txt');
  });
});

it('keeps a commit that only the checkout of a worktree knows of', async () => {
  using at = ground();
  const { env, start } = at;
  const site = at.site('1', 'worktree');
  await provision(site, { branch: 'x/one', start, ...plain }, env);
  at.git(site.path, 'checkout', '-q', '--detach');
  writeFileSync(join(site.path, 'a.txt'), 'detached\n');
  at.git(site.path, 'commit', '-qam', 'detached');
  const head = at.git(site.path, 'rev-parse', 'HEAD');
  const path = join(at.root, 'fleet/aside/1-now');
  await putAside(site, { path, reason: { why: 'test' }, ref: 'refs/fleet/kept/task/run' }, env);
  expect(at.git(at.repository, 'rev-parse', 'refs/fleet/kept/task/run')).toBe(head);
});
