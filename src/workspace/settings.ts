import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { gitDirectory } from './git-directory.ts';
import { rawGit } from './raw-git.ts';

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
  const own = ownEnvironment(env);
  const which = JSON.stringify([directory, own['HOME'], own['XDG_CONFIG_HOME'], Object.entries(own).filter(isOfGit)]);
  const before = known.get(which);
  if (before && performance.now() - before.at < GOOD_MS && (await stateOf(before.files)) === before.state) return before.settings;
  const at = performance.now();
  const usual = await usualFiles(directory, own);
  const earlier = await stateOf(usual);
  const { settings, files } = await asked(directory, own);
  if (known.size >= MOST) known.clear();
  const all = [...new Set([...usual, ...files])];
  // One that was written while git read it is read again next time.
  if ((await stateOf(usual)) === earlier) known.set(which, { at, files: all, state: await stateOf(all), settings });
  return settings;
}

const isOfGit = ([name]: [string, unknown]): boolean => name.startsWith('GIT_');

async function asked(directory: string, env: NodeJS.ProcessEnv): Promise<{ settings: readonly Setting[]; files: string[] }> {
  const { out } = await rawGit(['config', '--list', '-z', '--show-scope', '--show-origin'], { cwd: directory, env });
  const parts = out.toString('utf8').split('\0');
  const settings: Setting[] = [];
  const files: string[] = [];
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [scope = '', origin = '', entry = ''] = parts.slice(at, at + 3);
    const [key = '', ...value] = entry.split('\n');
    // A key without a value means true.
    const text = entry.includes('\n') ? value.join('\n') : 'true';
    settings.push({ key, value: text, trusted: scope === 'system' || scope === 'global' });
    if (origin.startsWith('file:')) files.push(resolve(directory, origin.slice('file:'.length)));
  }
  return { settings, files };
}

/** Where settings are looked for, whether or not anything is there. */
async function usualFiles(directory: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const { own, common } = await gitDirectory(directory);
  const home = env['HOME'] ?? '';
  const users = [join(home, '.gitconfig'), join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'git', 'config')];
  const named = [env['GIT_CONFIG_GLOBAL'], env['GIT_CONFIG_SYSTEM']].filter((file) => file !== undefined);
  return [join(common, 'config'), join(own, 'config.worktree'), ...users, ...named, '/etc/gitconfig'];
}

const stateOf = async (files: readonly string[]): Promise<string> =>
  (await Promise.all(files.map((file) => stat(file, { bigint: true }).then(signature, () => '-')))).join(' ');

const signature = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string => [ino, size, mtimeNs, ctimeNs].join('/');

/**
 * What a stand-in for a checkout obeys: how files lie on disk, whoever says so, and filters only where the user's own
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

/** The user's environment, without what would point git at another repository or hand it settings. */
export function ownEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) =>
      !name.startsWith('GIT_') ||
      name.startsWith('GIT_CONFIG_GLOBAL') ||
      name.startsWith('GIT_CONFIG_NOSYSTEM') ||
      name.startsWith('GIT_CONFIG_SYSTEM'),
  );
  return { ...Object.fromEntries(kept), GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
}

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
