import { randomUUID } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../domain/fault.ts';
import { commitsOf } from './branches.ts';
import { gitAt, outputAt } from './git.ts';
import { removeTree } from './remove-tree.ts';
import type { Seat } from './seat.ts';
import { besides, type Site } from './site.ts';

const LISTING_BYTES = 256 * 1024 * 1024;

/**
 * Brings commits of a clone into the repository. The clone's objects are only read, by a git that sits in the repository
 * and never sees the clone's configuration; each is checked on its way in.
 */
export async function carry(site: Site, repository: Seat, commits: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const known = await commitsOf(repository, commits, env);
  const missing = commits.filter((_, at) => known[at] === undefined);
  if (missing.length === 0) return;
  const scratch = join(besides(site.path), `carry-${randomUUID()}`);
  await mkdir(scratch, { recursive: true });
  try {
    const there = await outputAt(repository, ['for-each-ref', '--format=^%(objectname)'], env, { maxBytes: LISTING_BYTES });
    await outputAt(repository, ['pack-objects', '-q', '--revs', join(scratch, 'pack')], env, {
      input: `${missing.join('\n')}\n${there.toString('latin1')}`,
      variables: { GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(join(site.path, '.git', 'objects')) },
      timeoutMs: 0,
    });
    for (const name of await readdir(scratch)) if (name.endsWith('.pack')) await takeIn(repository, join(scratch, name), env);
  } finally {
    await removeTree(scratch);
  }
}

async function takeIn(repository: Seat, pack: string, env: NodeJS.ProcessEnv): Promise<void> {
  const end = await gitAt(repository, ['index-pack', '--stdin', '--strict'], env, { inputFile: pack, timeoutMs: 0 });
  if (end.code !== 0) throw new Fault('conflict', `the objects of the clone are not sound and were not taken in: ${end.err}`);
}

/** Paths in that variable are separated by colons unless they are quoted. */
const quoted = (path: string): string => `"${path.replaceAll(/[\\"]/g, '\\$&')}"`;
