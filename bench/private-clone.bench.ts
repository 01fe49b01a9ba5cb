/** Private clones: made, renewed and collected from, against a worktree of the same tree. */
import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { confineOf } from '../src/app/confined.ts';
import { save } from '../src/workspace/save/save.ts';
import type { Site } from '../src/workspace/site.ts';
import { provision, reset } from '../src/workspace/tree/provision.ts';
import { measure, timed } from './measure.ts';
import { repositoryOf } from './repository.ts';
import { temporaryDirectory } from './temporary-home.ts';

const run = promisify(execFile);
const FILES = 20_000;
const plain = { copyFiles: [], setupPaths: [] };
const who = { name: 'A', email: 'a@b' };

await using directory = await temporaryDirectory();
const bench = await repositoryOf(directory.path, FILES);
const { root, repository, env, start } = bench;

let count = 0;
const siteOf = (isolation: Site['isolation']): Site => {
  count += 1;
  return { id: `ws_${count}`, repository, path: join(root, 'fleet/workspaces/shop', String(count)), isolation };
};

const addMs = (): Promise<number> => {
  count += 1;
  const args = ['worktree', 'add', '-q', '--no-track', '-b', `bare/${count}`, join(root, 'bare', String(count)), start];
  return timed(() => run('git', args, { cwd: repository, env }));
};

const layOutMs = (): Promise<number> => {
  const site = siteOf('clone');
  return timed(() => provision(site, { branch: `x/${site.id}`, start, ...plain }, env));
};

// The history of the project is packed once.
await layOutMs();
await measure({
  name: `a private clone of ${FILES} files v git worktree add`,
  goal: { atMost: 1.15 },
  pairs: 3,
  warmUps: 1,
  floor: addMs,
  product: layOutMs,
});

const warm = siteOf('clone');
const parent = (await run('git', ['rev-parse', 'main~1'], { cwd: repository, env })).stdout.trim();
await provision(warm, { branch: 'x/warm', start: parent, ...plain }, env);
let turn = 0;
await measure({
  name: `a cleared private clone of ${FILES} files, renewed, v git worktree add`,
  goal: { atMost: 0.15 },
  pairs: 3,
  warmUps: 1,
  floor: addMs,
  product: async () => {
    await reset(warm, { setupPaths: [] }, env);
    turn += 1;
    return timed(() => provision(warm, { branch: `x/again/${turn}`, start: turn % 2 === 0 ? parent : start, ...plain }, env));
  },
});

/** A finished task: some files changed, some new, all committed but for two. */
async function worked(isolation: Site['isolation']): Promise<Site> {
  const site = siteOf(isolation);
  await provision(site, { branch: `x/${site.id}`, start, ...plain }, env);
  for (let n = 0; n < 20; n += 1) await writeFile(join(site.path, `d${n}/f${n}.txt`), `changed ${n}\n`);
  // Git reads files again that are as young as its index, by whole seconds; a task takes longer than one.
  await setTimeout(1_100);
  await run('git', ['add', '-A'], { cwd: site.path, env });
  await run('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'work'], { cwd: site.path, env });
  for (const name of ['one', 'two']) await writeFile(join(site.path, name), name);
  return site;
}

const [tree, clone] = [await worked('worktree'), await worked('clone')];
const means = { confine: confineOf(env) };
const keepMs = async (site: Site): Promise<number> => {
  turn += 1;
  // Never what was kept before.
  await writeFile(join(site.path, 'one'), `${turn}`);
  return timed(() => save(site, { ref: `refs/fleet/keep/${site.id}`, message: 'kept', who, means }, env));
};
/** As clones were brought in before: the snapshot in place, then its objects by one pack, checked. */
const before = join(root, 'before.git');
await run('git', ['clone', '-q', '--bare', '--shared', repository, before], { env });
const importMs = async (): Promise<number> => {
  const taken = await keepMs(tree);
  const git = (cwd: string, args: readonly string[], input = '') =>
    new Promise<void>((resolve, reject) => {
      const child = execFile('git', args, { cwd, env }, (error) => (error ? reject(error) : resolve()));
      child.stdin?.on('error', () => undefined).end(input, 'latin1');
    });
  const pack = join(root, `pack-${turn}`);
  return (
    taken +
    (await timed(async () => {
      await git(before, ['cat-file', '--batch-check'], `${start}\n`);
      await git(before, ['for-each-ref', '--format=^%(objectname)']);
      await git(repository, ['pack-objects', '-q', '--revs', pack], `refs/fleet/keep/${tree.id}\n^${start}\n`);
      const [name] = (await readdir(root)).filter((file) => file.startsWith(`pack-${turn}-`) && file.endsWith('.pack'));
      await git(before, ['index-pack', '--stdin', '--strict'], await readFile(join(root, name ?? ''), 'latin1'));
      await git(before, ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags', 'refs/stash']);
      await git(before, ['cat-file', '--batch-check'], `${start}\n`);
    }))
  );
};
await measure({
  name: `collecting a finished task from a private clone of ${FILES} files v the snapshot in place and one pack`,
  goal: { atMost: 1.5 },
  floor: importMs,
  product: () => keepMs(clone),
});
await rm(join(root, 'fleet'), { recursive: true, force: true });
