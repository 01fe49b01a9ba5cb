import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Fault, isFault } from '../../domain/fault.ts';
import { gitDirectory } from '../git-directory.ts';
import { answered, look } from './git.ts';

export interface Setting {
  /** Section and variable in lower case, the part between them as written. */
  readonly key: string;
  readonly value: string;
  /** Written by the user or the machine's owner, outside of the repository. */
  readonly trusted: boolean;
}

/** How files are laid out on disk. None of these names a program. */
const LAYOUT = new Set(
  [
    ...['autocrlf', 'eol', 'safecrlf', 'filemode', 'symlinks', 'ignorecase', 'precomposeunicode', 'protecthfs', 'protectntfs'],
    ...[
      'sparsecheckout',
      'sparsecheckoutcone',
      'trustctime',
      'checkstat',
      'bigfilethreshold',
      'longpaths',
      'checkroundtripencoding',
    ],
  ].map((name) => `core.${name}`),
);
/** How objects are written. */
const OBJECTS = new Set(['core.sharedrepository', 'core.compression', 'core.loosecompression', 'core.fsync', 'core.fsyncmethod']);
const TRUSTED = /^filter\..*\.(clean|smudge|process|required)$|^core\.attributesfile$/s;

/** How long the answer is good while the files it came from stay as they are: there may be others that we do not know of. */
const GOOD_MS = 2_000;
const MOST = 100;

interface Known {
  readonly at: number;
  readonly files: readonly string[];
  readonly state: string;
  readonly settings: readonly Setting[];
}

const known = new Map<string, Known>();

/** Everything git would obey in that directory. Reading settings starts no program. Whoever lands one after the other asks once. */
export async function settingsOf(directory: string, env: NodeJS.ProcessEnv): Promise<readonly Setting[]> {
  const which = JSON.stringify([directory, Object.entries(env).filter(([name]) => SAYS_WHERE.test(name))]);
  const before = known.get(which);
  if (before && performance.now() - before.at < GOOD_MS && (await stateOf(before.files)) === before.state) return before.settings;
  const at = performance.now();
  const usual = await usualFiles(directory, env);
  const earlier = await stateOf(usual);
  const { settings, files } = await asked(directory, env);
  if (known.size >= MOST) known.clear();
  const all = [...new Set([...usual, ...files])];
  // One that was written while git read it is read again next time.
  if ((await stateOf(usual)) === earlier) known.set(which, { at, files: all, state: await stateOf(all), settings });
  return settings;
}

const SAYS_WHERE = /^(HOME|XDG_CONFIG_HOME|GIT_CONFIG_\w+)$/;

async function asked(directory: string, env: NodeJS.ProcessEnv): Promise<{ settings: readonly Setting[]; files: string[] }> {
  const end = await look(directory, ['config', '--list', '-z', '--show-scope', '--show-origin'], env);
  if (end.missing || end.stopped) answered(end, `read the settings of ${directory}`);
  const parts = end.out.toString('utf8').split('\0');
  const settings: Setting[] = [];
  const files: string[] = [];
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [scope = '', origin = '', entry = ''] = parts.slice(at, at + 3);
    // Our own, of this call.
    if (scope === 'command') continue;
    settings.push({ ...pairOf(entry), trusted: scope === 'system' || scope === 'global' });
    if (origin.startsWith('file:')) files.push(resolve(directory, origin.slice('file:'.length)));
  }
  return { settings, files };
}

/** What one file says. Those it includes are not looked at: what they say would have to be trusted. */
export async function settingsOfFile(file: string, env: NodeJS.ProcessEnv): Promise<readonly Setting[]> {
  if ((await stat(file).catch(() => undefined)) === undefined) return [];
  const end = await look('/', ['config', '--file', file, '--no-includes', '--list', '-z'], env);
  if (end.missing) answered(end, 'read settings');
  if (end.code !== 0)
    throw new Fault('unavailable', `the git configuration ${file} cannot be read: ${end.err || 'it takes too long'}`, {
      path: file,
    });
  const entries = end.out.toString('utf8').split('\0');
  return entries.filter((entry) => entry !== '').map((entry) => ({ ...pairOf(entry), trusted: false }));
}

/** A key without a value means true. */
function pairOf(entry: string): Pick<Setting, 'key' | 'value'> {
  const end = entry.indexOf('\n');
  return end === -1 ? { key: entry, value: 'true' } : { key: entry.slice(0, end), value: entry.slice(end + 1) };
}

/** Where settings are looked for, whether or not anything is there. */
async function usualFiles(directory: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  // In a directory of no repository the user's own settings hold.
  const found = await gitDirectory(directory).catch((error: unknown) => {
    if (!isFault(error, 'not_found')) throw error;
    return undefined;
  });
  const theirs = found ? [join(found.commonDir, 'config'), join(found.gitDir, 'config.worktree')] : [];
  const home = env['HOME'] ?? '';
  const users = [join(home, '.gitconfig'), join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'git', 'config')];
  const named = [env['GIT_CONFIG_GLOBAL'], env['GIT_CONFIG_SYSTEM']].filter((file) => file !== undefined);
  return [...theirs, ...users, ...named, '/etc/gitconfig'];
}

const stateOf = async (files: readonly string[]): Promise<string> =>
  (await Promise.all(files.map((file) => stat(file, { bigint: true }).then(signature, () => '-')))).join(' ');

const signature = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string => [ino, size, mtimeNs, ctimeNs].join('/');

/**
 * What a scratch git directory for a checkout obeys: how files lie on disk, whoever says so, and filters only where the user's own
 * settings define them: the repository's settings may have been written by an agent, and a filter is a program.
 */
export const checkoutSettings = (settings: readonly Setting[]): Setting[] =>
  settings.filter(
    ({ key, trusted }) => LAYOUT.has(key) || OBJECTS.has(key) || key === 'index.sparse' || (trusted && TRUSTED.test(key)),
  );

/** Names of filters that only the repository itself defines: they are not run, so their files are not ours to write. */
export function foreignFilters(settings: readonly Setting[]): Set<string> {
  const names = (trusted: boolean) =>
    settings
      .filter((setting) => setting.trusted === trusted)
      .flatMap(({ key }) => /^filter\.(.*)\.(?:clean|smudge|process)$/s.exec(key)?.[1] ?? []);
  const own = new Set(names(true));
  return new Set(names(false).filter((name) => !own.has(name)));
}

export const valueOf = (settings: readonly Setting[], key: string): string | undefined =>
  settings.findLast((setting) => setting.key === key)?.value;

/** The text of a settings file that says exactly this. */
export const settingsText = (settings: readonly Pick<Setting, 'key' | 'value'>[]): string =>
  settings
    .map(({ key, value }) => {
      const [section, name] = [key.slice(0, key.indexOf('.')), key.slice(key.lastIndexOf('.') + 1)];
      const sub = key.slice(section.length + 1, -name.length - 1);
      const heading = sub === '' ? `[${section}]` : `[${section} "${sub.replaceAll(/["\\]/g, '\\$&')}"]`;
      return `${heading}\n\t${name} = "${escaped(value)}"\n`;
    })
    .join('');

const escaped = (value: string): string =>
  value.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\b', '\\b');
