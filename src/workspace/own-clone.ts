import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, hasCode } from '../platform/files.ts';
import { copyIndex } from './entry.ts';
import { gitAt, outputAt } from './git.ts';
import { removeTree } from './remove-tree.ts';
import type { Seat } from './seat.ts';
import { besides, type Mark, ownIndex, type Site } from './site.ts';

/** What a clone starts with. */
export interface CloneHead {
  readonly branch?: string | undefined;
  readonly commit: string;
}

/**
 * A repository of its own that borrows the objects of the project: what `git clone --shared` makes, but without asking
 * either repository's configuration, and always whole. The `.git` of the task before is replaced by it.
 */
export async function placeClone(
  site: Site,
  source: Seat,
  { branch, commit }: CloneHead,
  options: { readonly env: NodeJS.ProcessEnv; readonly index?: string | undefined },
): Promise<void> {
  const fresh = join(besides(site.path), `git-${randomUUID()}`);
  try {
    for (const part of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info', 'logs'])
      await mkdir(join(fresh, part), { recursive: true });
    await Promise.all([
      writeFile(join(fresh, 'HEAD'), branch === undefined ? `${commit}\n` : `ref: refs/heads/${branch}\n`),
      writeFile(join(fresh, 'config'), await configOf(source, options.env)),
      writeFile(join(fresh, 'objects/info/alternates'), `${join(source.commonDir, 'objects')}\n`),
      writeFile(join(fresh, 'packed-refs'), await refsOf(source, { branch, commit }, options.env)),
      options.index === undefined ? undefined : copyIndex(options.index, join(fresh, 'index')),
      copyShallow(source, fresh),
    ]);
    await mkdir(site.path, { recursive: true });
    await moveOut(join(site.path, '.git'), `${fresh}-before`);
    await rename(fresh, join(site.path, '.git'));
  } finally {
    await Promise.all([removeTree(fresh), removeTree(`${fresh}-before`)]);
  }
}

/** By one rename: whoever dies here leaves all of it or nothing. */
async function moveOut(path: string, to: string): Promise<void> {
  await rename(path, to).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
  });
}

const PARTS = ['HEAD', 'objects', 'refs'];

/**
 * An agent may have removed the repository of its clone, or a part of it. It is made anew where the work began, so that the
 * files can be kept; without it nothing of the clone can be.
 */
export async function soundClone(
  site: Site,
  source: Seat,
  mark: Pick<Mark, 'branch' | 'commit'>,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (site.isolation !== 'clone' || mark.commit === undefined) return;
  const parts = await Promise.all(PARTS.map((part) => exists(join(site.path, '.git', part))));
  if (parts.every((isThere) => isThere)) return;
  const index = (await exists(ownIndex(site))) ? ownIndex(site) : undefined;
  await placeClone(site, source, { branch: mark.branch, commit: mark.commit }, { env, index });
}

/** The project's branches are its `origin`, as in every clone; nothing of ours is shown. */
async function refsOf(source: Seat, head: CloneHead, env: NodeJS.ProcessEnv): Promise<Buffer> {
  const listing = ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags'];
  const found = (await outputAt(source, listing, env, { maxBytes: 256 * 1024 * 1024 })).toString('latin1').split('\n');
  const own = head.branch === undefined ? [] : [`${head.commit} refs/heads/${Buffer.from(head.branch).toString('latin1')}`];
  const refs = found.filter((line) => line !== '').map((line) => line.replace(' refs/heads/', ' refs/remotes/origin/'));
  return Buffer.from(`${[...own, ...refs].join('\n')}\n`, 'latin1');
}

async function configOf(source: Seat, env: NodeJS.ProcessEnv): Promise<string> {
  const value = async (key: string): Promise<string | undefined> => {
    const { code, out } = await gitAt(source, ['config', '--get', key], env);
    return code === 0 ? out.toString('utf8').trimEnd() : undefined;
  };
  const [url, format] = await Promise.all([value('remote.origin.url'), value('extensions.objectformat')]);
  const core = `[core]\n\trepositoryformatversion = ${format === undefined ? 0 : 1}\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n`;
  const extensions = format === undefined ? '' : `[extensions]\n\tobjectformat = ${format}\n`;
  const quoted = url?.replaceAll(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');
  const fetch = '+refs/heads/*:refs/remotes/origin/*';
  return `${core}${extensions}${quoted === undefined ? '' : `[remote "origin"]\n\turl = "${quoted}"\n\tfetch = ${fetch}\n`}`;
}

async function copyShallow(source: Seat, fresh: string): Promise<void> {
  const file = join(source.commonDir, 'shallow');
  if (await exists(file)) await copyFile(file, join(fresh, 'shallow'));
}
