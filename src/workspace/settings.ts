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

/** Everything git would obey in that directory. Reading settings starts no program. */
export async function settingsOf(directory: string, env: NodeJS.ProcessEnv): Promise<readonly Setting[]> {
  const { out } = await rawGit(['config', '--list', '-z', '--show-scope'], { cwd: directory, env: ownEnvironment(env) });
  const parts = out.toString('utf8').split('\0');
  const settings: Setting[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [scope = '', entry = ''] = [parts[at], parts[at + 1]];
    const [key = '', ...value] = entry.split('\n');
    // A key without a value means true.
    const text = entry.includes('\n') ? value.join('\n') : 'true';
    settings.push({ key, value: text, trusted: scope === 'system' || scope === 'global' });
  }
  return settings;
}

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
