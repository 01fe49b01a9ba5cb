import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '../../src/platform/ask-version.ts';
import { probe } from '../../src/sandbox/probe.ts';
import { withLock } from '../../tools/lock.mjs';
import { root } from '../../tools/paths.mjs';
import { codex } from './codex.ts';
import { had } from './install.ts';

const CACHE = join(root, 'node_modules', '.cache', 'fleet-clis');
const run = promisify(execFile);

/** A directory for the PATH with a bubblewrap in it that works here, or why there is none. */
export type Bubblewrap = { readonly directory: string } | { readonly missing: string };

/** The machine's own; else the package of its system, unpacked into the cache of the tests; else the one that comes with an agent. */
export async function bubblewrap(): Promise<Bubblewrap> {
  const place = join(CACHE, 'bubblewrap');
  const path =
    (await findProgram('bwrap', process.env)) ?? (await withLock(join(CACHE, 'bubblewrap.lock'), () => fetched(place)));
  if (path === undefined) return { missing: 'there is no bubblewrap, and none could be fetched' };
  const probed = await probe(path);
  return probed.works ? { directory: dirname(path) } : { missing: probed.why };
}

async function fetched(place: string): Promise<string | undefined> {
  const program = join(place, 'usr', 'bin', 'bwrap');
  if (await exists(program)) return program;
  await mkdir(CACHE, { recursive: true });
  const fresh = await mkdtemp(join(CACHE, 'fresh-bubblewrap-'));
  try {
    await fromSystem(fresh).catch(() => fromAgent(fresh));
    await rm(place, { recursive: true, force: true });
    await rename(fresh, place);
    return program;
  } catch {
    return undefined;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function fromSystem(fresh: string): Promise<void> {
  await run('apt-get', ['download', 'bubblewrap'], { cwd: fresh, timeout: 60_000 });
  const [file = ''] = (await readdir(fresh)).filter((name) => name.endsWith('.deb'));
  await run('dpkg', ['-x', file, '.'], { cwd: fresh, timeout: 60_000 });
  await run(join(fresh, 'usr', 'bin', 'bwrap'), ['--version'], { timeout: 10_000 });
}

async function fromAgent(fresh: string): Promise<void> {
  const found = await had(codex);
  if ('missing' in found) throw new Error(found.missing);
  const bwrap = join(dirname(found.program), '..', 'codex-resources', 'bwrap');
  await run(bwrap, ['--version'], { timeout: 10_000 });
  await mkdir(join(fresh, 'usr', 'bin'), { recursive: true });
  await symlink(bwrap, join(fresh, 'usr', 'bin', 'bwrap'));
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
