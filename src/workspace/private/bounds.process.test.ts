import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../domain/limits.ts';
import { type Ground, ground, who } from '../fixtures/ground.ts';
import { commitWork } from '../save/commit-work.ts';
import { importBranch } from '../save/import-branch.ts';
import { save } from '../save/save.ts';
import type { Site } from '../site.ts';
import { provision } from '../tree/provision.ts';
import type { IntakeBounds } from './bounds.ts';
import type { Means } from './confine.ts';
import { packsFor } from './history.ts';
import { refsWithin } from './project-facts.ts';

async function laidOut(at: Ground): Promise<Site> {
  const site = at.site('1', 'clone');
  await provision(site, { branch: 'x/one', start: at.start, copyFiles: [], setupPaths: [] }, at.env);
  return site;
}

const kept = (at: Ground, site: Site, bounds: Partial<IntakeBounds> = {}) =>
  save(site, { ref: 'refs/fleet/kept/1', message: 'kept', who, means: { bounds } }, at.env);

const files = (at: Ground): string[] => at.git(at.repository, 'ls-tree', '-r', '--name-only', 'refs/fleet/kept/1').split('\n');

it('names what is more than all files together may have, before a byte of it is read', async () => {
  using at = ground();
  const site = await laidOut(at);
  for (const name of ['one', 'two', 'three']) writeFileSync(join(site.path, name), 'x'.repeat(1_000));
  expect((await kept(at, site, { allBytes: 2_999 })).left).toEqual(['two']);
  expect(files(at)).toEqual(['a.txt', 'one', 'src/b.txt', 'three']);
  expect((await kept(at, site, { allBytes: 3_000 })).left).toEqual([]);
});

it('reads no byte of a file without content that is larger than one may be, nor of one of 900 GB', async () => {
  using at = ground();
  const site = await laidOut(at);
  for (const [name, bytes] of [
    ['huge', 900 * 1024 ** 3],
    ['large', LIMITS.keptFileBytes.value + 1],
  ] as const) {
    writeFileSync(join(site.path, name), '');
    truncateSync(join(site.path, name), bytes);
  }
  writeFileSync(join(site.path, 'work.txt'), 'work\n');
  expect((await kept(at, site)).left).toEqual(['huge', 'large']);
  expect(files(at)).toEqual(['a.txt', 'src/b.txt', 'work.txt']);
});

it('tells so many names of what is left, and how many there are besides', async () => {
  using at = ground();
  const site = await laidOut(at);
  mkdirSync(join(site.path, 'many'));
  for (let n = 0; n < LIMITS.leftNames.value + 5; n += 1) writeFileSync(join(site.path, 'many', String(n)), 'xx');
  const { left } = await kept(at, site, { fileBytes: 1 });
  expect([left.length, left.at(-1)]).toEqual([LIMITS.leftNames.value + 1, 'and 5 more']);
});

it('keeps so many other branches, and says how many there are besides; names that cannot be there stop none', async () => {
  using at = ground();
  const site = await laidOut(at);
  writeFileSync(join(site.path, 'own.txt'), 'own\n');
  at.git(site.path, 'add', '-A');
  at.git(site.path, 'commit', '-qm', 'own');
  const own = at.git(site.path, 'rev-parse', 'HEAD');
  writeFileSync(join(site.path, 'next.txt'), 'next\n');
  at.git(site.path, 'add', '-A');
  at.git(site.path, 'commit', '-qm', 'next');
  for (const name of ['a1', 'a2', 'a3']) at.git(site.path, 'branch', name, own);
  expect((await kept(at, site, { refs: 2 })).left).toEqual(['1 refs of its repository']);
  const names = ['b', 'b/below', 'l'.repeat(300), 'l'.repeat(LIMITS.nameBytes.value)];
  writeFileSync(join(site.path, '.git/packed-refs'), names.map((name) => `${own} refs/heads/${name}\n`).join(''), { flag: 'a' });
  expect((await kept(at, site)).left).toEqual(['3 refs of its repository']);
  const also = at.git(at.repository, 'for-each-ref', '--format=%(refname)', 'refs/fleet/kept/1.also').split('\n');
  expect(also.map((name) => name.split('/').at(-1))).toEqual(['a1', 'a2', 'a3', 'b']);
});

it('names what git leaves out for its name, and takes the rest', async () => {
  using at = ground();
  const site = await laidOut(at);
  mkdirSync(join(site.path, 'sub'));
  for (const name of ['.GIT', 'git~1', 'sub/.gIt', 'work.txt']) writeFileSync(join(site.path, name), 'x');
  expect([...(await kept(at, site)).left].sort()).toEqual(['.GIT', 'git~1', 'sub/.gIt']);
  expect(files(at)).toEqual(['a.txt', 'src/b.txt', 'work.txt']);
});

it('gives a collector so much memory, and whatever it starts', async () => {
  using at = ground();
  const site = await laidOut(at);
  const confine: Means['confine'] = async ({ command: [shell = '', ...args] }) =>
    spawn(shell, [...args.slice(0, 3), '/bin/sh', '-c', 'ulimit -v >&2; exit 7'], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  const wish = { ref: 'refs/fleet/kept/1', message: 'kept', who, means: { confine } };
  const told = String(LIMITS.collectorMemoryBytes.value / 1_024);
  await expect(save(site, wish, at.env)).rejects.toThrow(told);
});

it('holds so many beginnings of a history ready, in so many layers', async () => {
  using at = ground();
  const repository = { gitDir: join(at.repository, '.git'), commonDir: join(at.repository, '.git') };
  let tip = at.start;
  let layers = 0;
  for (let n = 0; n < LIMITS.historyPacks.value + 5; n += 1) {
    tip = at.git(at.repository, 'commit-tree', `${at.start}^{tree}`, '-p', tip, '-m', String(n));
    const { directory, packs } = await packsFor(repository, { tip, tags: [] }, at.env);
    layers = Math.max(layers, packs.length);
    const there = readdirSync(directory).filter((name) => name.endsWith('.pack')).length;
    expect(there).toBeLessThanOrEqual(LIMITS.historyPacks.value);
  }
  expect(layers).toBe(LIMITS.historyLayers.value + 1);
});

it('shows a clone so many branches of its project', async () => {
  using at = ground();
  const repository = { gitDir: join(at.repository, '.git'), commonDir: join(at.repository, '.git') };
  const lines = Array.from({ length: LIMITS.historyRefs.value + 5 }, (_, n) => `${at.start} refs/heads/r${n}\n`).sort();
  writeFileSync(join(at.repository, '.git/packed-refs'), lines.join(''));
  expect(await refsWithin(repository, at.start, at.env)).toHaveLength(LIMITS.historyRefs.value);
});

describe('a private clone that hands in work turn after turn', () => {
  const packs = (at: Ground): number =>
    readdirSync(join(at.repository, '.git/objects/pack')).filter((name) => name.endsWith('.pack')).length;
  const turn = async (at: Ground, site: Site): Promise<void> => {
    await commitWork(site, { message: 'turn', who }, at.env);
    await importBranch(site, { from: 'x/one', ref: 'refs/heads/x/one' }, at.env);
    await kept(at, site);
  };

  it('gives a project few objects one by one, and many as one pack', async () => {
    using at = ground();
    const site = await laidOut(at);
    const had = packs(at);
    for (let n = 0; n < 5; n += 1) {
      writeFileSync(join(site.path, 'work.txt'), `${n}\n`);
      await turn(at, site);
    }
    expect(packs(at)).toBe(had);
    // With a tree and a snapshot.
    for (let n = 0; n < LIMITS.unpackedObjects.value - 2; n += 1) writeFileSync(join(site.path, `few${n}`), `few ${n}`);
    await turn(at, site);
    expect(packs(at)).toBe(had);
    for (let n = 0; n < LIMITS.unpackedObjects.value - 1; n += 1) writeFileSync(join(site.path, `many${n}`), `many ${n}`);
    await turn(at, site);
    expect(packs(at)).toBe(had + 1);
    writeFileSync(join(site.path, 'large'), randomBytes(LIMITS.unpackedBytes.value));
    await turn(at, site);
    expect(packs(at)).toBe(had + 2);
    at.git(at.repository, 'fsck', '--strict', '--connectivity-only');
  });

  it('gives it again what the user has removed, and nothing that is still there', async () => {
    using at = ground();
    const site = await laidOut(at);
    writeFileSync(join(site.path, 'work.txt'), 'one\n');
    await turn(at, site);
    at.git(at.repository, 'gc', '-q', '--prune=now');
    const had = packs(at);
    writeFileSync(join(site.path, 'more.txt'), 'two\n');
    await turn(at, site);
    expect(packs(at)).toBe(had);
    for (const ref of ['refs/heads/x/one', 'refs/fleet/kept/1']) at.git(at.repository, 'update-ref', '-d', ref);
    at.git(at.repository, 'reflog', 'expire', '--expire=now', '--all');
    at.git(at.repository, 'gc', '-q', '--prune=now');
    writeFileSync(join(site.path, 'more.txt'), 'three\n');
    await turn(at, site);
    at.git(at.repository, 'fsck', '--strict', '--connectivity-only');
    expect(files(at)).toEqual(['a.txt', 'more.txt', 'src/b.txt', 'work.txt']);
  });
});
