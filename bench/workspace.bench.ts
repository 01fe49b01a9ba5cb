/**
 * Working trees: made, renewed and taken away, against git's own way. Nothing is deleted between timings: a file system without a
 * journal makes whoever creates files pay for those deleted before.
 */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Site } from '../src/workspace/site.ts';
import { provision, reset } from '../src/workspace/tree/provision.ts';
import { removeSite } from '../src/workspace/tree/remove-site.ts';
import { measure, timed } from './measure.ts';
import { type Bench, repositoryOf } from './repository.ts';
import { temporaryDirectory } from './temporary-home.ts';

const run = promisify(execFile);
const FILES = 20_000;
const LARGE = 100_000;
const plain = { copyFiles: [], setupPaths: [] };

let count = 0;

const siteIn = ({ root, repository }: Bench): Site => {
  count += 1;
  return { id: `ws_${count}`, repository, path: join(root, 'fleet/workspaces/shop', String(count)), isolation: 'worktree' };
};

const addMs = (bench: Bench): Promise<number> => {
  count += 1;
  const args = [
    'worktree',
    'add',
    '-q',
    '--no-track',
    '-b',
    `bare/${count}`,
    join(bench.root, 'bare', String(count)),
    bench.start,
  ];
  return timed(() => run('git', args, { cwd: bench.repository, env: bench.env }));
};

const layOutMs = (bench: Bench): Promise<number> => {
  const site = siteIn(bench);
  return timed(() => provision(site, { branch: `x/${site.id}`, start: bench.start, ...plain }, bench.env));
};

await using directory = await temporaryDirectory();
const bench = await repositoryOf(directory.path, FILES);

await measure({
  id: 'P12',
  name: `a new tree of ${FILES} files v git worktree add`,
  goal: { atMost: 1.1 },
  pairs: 3,
  warmUps: 1,
  floor: () => addMs(bench),
  product: () => layOutMs(bench),
});

const small = await repositoryOf(directory.path, 200);
for (const crowd of [10, 50]) {
  let failures = 0;
  const all = Array.from({ length: crowd }, () => layOutMs(small).catch(() => (failures += 1)));
  await Promise.all(all);
  await measure({
    id: 'P12',
    name: `failures of ${crowd} new trees at once`,
    goal: { atMost: 0 },
    once: true,
    floor: () => 1,
    product: () => failures,
  });
}

const warm = siteIn(bench);
const parent = (await run('git', ['rev-parse', 'main~1'], { cwd: bench.repository, env: bench.env })).stdout.trim();
await provision(warm, { branch: 'x/warm', start: parent, ...plain }, bench.env);
let turn = 0;
await measure({
  id: 'P13',
  name: `a cleared tree of ${FILES} files, renewed, v git worktree add`,
  goal: { atMost: 0.15 },
  pairs: 3,
  warmUps: 1,
  floor: () => addMs(bench),
  product: async () => {
    await reset(warm, { setupPaths: [] }, bench.env);
    turn += 1;
    const start = turn % 2 === 0 ? parent : bench.start;
    return timed(() => provision(warm, { branch: `x/again/${turn}`, start, ...plain }, bench.env));
  },
});

const large = await repositoryOf(directory.path, LARGE);
const sites = [siteIn(large), siteIn(large)];
for (const site of sites) await provision(site, { branch: `x/${site.id}`, start: large.start, ...plain }, large.env);
const trash = join(directory.path, 'fleet/trash');
await mkdir(trash, { recursive: true });
const taken: number[] = [];
for (const site of sites) taken.push(await timed(() => removeSite(site, { trash }, large.env)));
await measure({
  id: 'P14',
  name: `taking away a tree of ${LARGE} files v 50 ms`,
  goal: { atMost: 1 },
  once: true,
  floor: () => 50,
  product: () => Math.max(...taken),
});
