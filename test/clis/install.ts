import { execFile } from 'node:child_process';
import { access, chmod, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withLock } from '../../tools/lock.mjs';
import { root } from '../../tools/paths.mjs';
import type { AgentCli } from './agent-cli.ts';

const CACHE = join(root, 'node_modules', '.cache', 'fleet-clis');
const INSTALL_MS = 300_000;
const VERSION_MS = 60_000;

type Installable = Pick<AgentCli, 'name' | 'version' | 'binary'>;

/** Where the program is, or why it cannot be had here. */
export type Had = { readonly program: string } | { readonly missing: string };

/** Installs it once for this checkout, some hundred megabytes; who comes meanwhile waits for it. */
export async function had({ name, version, binary }: Installable): Promise<Had> {
  if (!binary) return { missing: `${name} is not made for ${process.platform}-${process.arch}` };
  const found = await hadPackage({ name, version, spec: binary.spec }, async (modules) => {
    const env = { PATH: process.env['PATH'], HOME: modules };
    const { stdout } = await promisify(execFile)(join(modules, binary.file), ['--version'], { env, timeout: VERSION_MS });
    if (!stdout.includes(version)) throw new Error(`${name} says that it is ${stdout.trim()}`);
  });
  return 'modules' in found ? { program: join(found.modules, binary.file) } : found;
}

interface Package {
  readonly name: string;
  readonly version: string;
  readonly spec: string;
  /** More arguments of npm. */
  readonly more?: readonly string[];
}

/** The directory of modules that holds a package, once that is proved to be whole. */
export async function hadPackage(
  wanted: Package,
  prove: (modules: string) => Promise<void>,
): Promise<{ readonly modules: string } | { readonly missing: string }> {
  const { name, version } = wanted;
  const place = join(CACHE, `${name}@${version}`);
  try {
    await withLock(join(CACHE, 'lock'), async () => {
      if (!(await exists(place))) await install(wanted, place, prove);
      // Where tests run as root, agents in a sandbox are somebody else.
      await chmod(place, 0o755);
    });
    return { modules: join(place, 'node_modules') };
  } catch (error) {
    return { missing: `${name} ${version} could not be installed: ${reasonOf(error)}` };
  }
}

/** It stands in its place only when it is whole and has been tried. */
async function install(
  { name, spec, more = [] }: Package,
  place: string,
  prove: (modules: string) => Promise<void>,
): Promise<void> {
  await sweep(name);
  const fresh = await mkdtemp(join(CACHE, 'new-'));
  try {
    // Without scripts: what is started is the binary, and nothing of what a package would do to the machine.
    const quiet = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1'];
    const args = ['install', '--prefix', fresh, ...quiet, ...more, spec];
    await promisify(execFile)('npm', args, { cwd: fresh, timeout: INSTALL_MS });
    await prove(join(fresh, 'node_modules'));
    await rename(fresh, place);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Under the lock whatever is not in its place was left by somebody who died, or is of another version. */
async function sweep(name: string): Promise<void> {
  const left = (await readdir(CACHE)).filter((entry) => entry.startsWith('new-') || entry.startsWith(`${name}@`));
  for (const entry of left) await rm(join(CACHE, entry), { recursive: true, force: true });
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

function reasonOf(error: unknown): string {
  const { stderr = '', message } = error as { stderr?: string; message: string };
  const said = stderr.split('\n').find((line) => line.trim() !== '') ?? message;
  return said.trim().slice(0, 200);
}
