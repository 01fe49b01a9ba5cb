import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readlink, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Fault } from '../domain/fault.ts';
import { exists, hasCode, PRIVATE_DIRECTORY, PRIVATE_FILE } from '../platform/files.ts';
import { calmEnvironment, isTakenOver, OVERRULED_WHEN_LOOKING } from './armour.ts';
import { runGit } from './run-git.ts';

/**
 * A directory of ours that git takes for the common directory of a repository (`GIT_COMMON_DIR`). Objects, refs and the
 * rest are links to the real ones; there are no hooks, and `config` holds only what the armour lets through.
 *
 * - It is never changed in a way that another process could see half of: links are made once, `config` by rename.
 * - It holds nothing that is not made again from the repository, so it may be deleted at any time.
 */
export async function standIn(commonDir: string, env: NodeJS.ProcessEnv): Promise<string> {
  const place = standInPlace(commonDir, env);
  const seen = await signatureOf(commonDir);
  if (known.get(place) === seen && (await exists(join(place, 'config')))) return place;
  try {
    await make(place, commonDir, env);
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EROFS', 'ENOSPC', 'ENOTDIR', 'EPERM'))
      throw new Fault('unavailable', `cannot write ${place}: ${(error as Error).message}`, { path: place }, { cause: error });
    throw error;
  }
  known.set(place, seen);
  return place;
}

/** Of each stand-in, the state of the repository's configuration it was made from. */
const known = new Map<string, string>();

const LINKS = ['objects', 'refs', 'packed-refs', 'logs', 'worktrees', 'info', 'shallow', 'HEAD'];

function standInPlace(commonDir: string, env: NodeJS.ProcessEnv): string {
  return join(gitRoot(env), createHash('sha256').update(commonDir).digest('hex').slice(0, 24));
}

export function gitRoot(env: NodeJS.ProcessEnv): string {
  const [home, user] = [env['FLEET_HOME'], env['HOME']];
  // A tilde that was quoted is the user's home, as everywhere.
  if (home) return join(resolve(user ? home.replace(/^~(?=\/|$)/, user) : home), 'git');
  return user ? join(resolve(user), '.fleet', 'git') : join(tmpdir(), `fleet-git-${process.getuid?.() ?? 0}`);
}

async function signatureOf(commonDir: string): Promise<string> {
  const found = await stat(join(commonDir, 'config'), { bigint: true }).catch(() => undefined);
  return found ? `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}` : 'none';
}

async function make(place: string, commonDir: string, env: NodeJS.ProcessEnv): Promise<void> {
  const settings = await settingsOf(commonDir, env);
  const refs = settings.find(([key]) => key === 'extensions.refstorage')?.[1] ?? 'files';
  if (refs !== 'files')
    throw new Fault('unavailable', `${commonDir} keeps its refs as ${refs}, which Fleet cannot use yet`, { path: commonDir });
  await mkdir(place, { recursive: true, mode: PRIVATE_DIRECTORY });
  const found = await stat(place);
  if (process.getuid && found.uid !== process.getuid())
    throw new Fault('unavailable', `${place} belongs to another user: choose another home with FLEET_HOME`, { path: place });
  const isBare = settings.some(([key, value]) => key === 'core.bare' && value === 'true');
  if (!isBare) await mkdir(join(commonDir, 'logs')).catch(ignoreExisting);
  for (const name of LINKS) await link(join(commonDir, name), join(place, name));
  const logs: [string, string][] = isBare ? [['core.logallrefupdates', 'false']] : [];
  const text = [...logs, ...settings].map(([key, value]) => written(key, value)).join('');
  const temporary = join(place, `config.${randomUUID()}`);
  await writeFile(temporary, text, { mode: PRIVATE_FILE });
  await rename(temporary, join(place, 'config'));
}

async function link(target: string, path: string): Promise<void> {
  if ((await readlink(path).catch(() => undefined)) === target) return;
  const temporary = `${path}.${randomUUID()}`;
  await symlink(target, temporary);
  await rename(temporary, path);
}

/** Files named by `include` are not looked at: what they say would have to be trusted. */
async function settingsOf(commonDir: string, env: NodeJS.ProcessEnv): Promise<[string, string][]> {
  const file = join(commonDir, 'config');
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return [];
  if (!found.isFile()) throw new Fault('unavailable', `${file} is no plain file: the repository cannot be used`, { path: file });
  const listing = ['config', '--file', file, '--no-includes', '--list', '-z'];
  const { code, out, err, missing } = await runGit([...OVERRULED_WHEN_LOOKING, ...listing], {
    cwd: '/',
    env: { ...calmEnvironment(env), GIT_CEILING_DIRECTORIES: '/' },
    timeoutMs: 30_000,
  });
  if (missing) throw new Fault('unavailable', 'git is not installed: install git 2.38 or newer');
  if (code !== 0) throw new Fault('unavailable', `the git configuration ${file} cannot be read: ${err}`, { path: file });
  return out
    .toString('utf8')
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry): [string, string] => {
      const end = entry.indexOf('\n');
      return end === -1 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)];
    })
    .filter(([key]) => isTakenOver(key));
}

/** One setting as git's configuration writes it. A section may come as often as one likes. */
function written(key: string, value: string): string {
  const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')];
  const middle = first === last ? '' : ` "${key.slice(first + 1, last).replaceAll(/[\\"]/g, '\\$&')}"`;
  const quoted = value.replaceAll(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `[${key.slice(0, first)}${middle}]\n\t${key.slice(last + 1)} = "${quoted}"\n`;
}

const ignoreExisting = (error: unknown): void => {
  if (!hasCode(error, 'EEXIST')) throw error;
};
