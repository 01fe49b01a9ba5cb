import { homedir } from 'node:os';
import { join } from 'node:path';
import { LIMITS } from '../../domain/limits.ts';
import { readRegular } from '../../platform/read-safely.ts';
import { look } from '../git/git.ts';
import { outputIn } from '../git/in-repository.ts';
import type { Seat } from '../seat.ts';

const MOST_BYTES = 16 * 1024 * 1024;

const textOf = async (path: string): Promise<string | undefined> => {
  const read = await readRegular(path, MOST_BYTES);
  return 'bytes' in read ? read.bytes.toString('utf8') : undefined;
};

/** Commits whose parents a shallow repository does not have. */
export const readShallow = (commonDir: string): Promise<string | undefined> => textOf(join(commonDir, 'shallow'));

/** A ref of the project that a clone may know: the commit it stands for is in its history. */
export interface KnownRef {
  readonly name: string;
  readonly id: string;
  /** Of an annotated tag: the commit. */
  readonly peeled?: string | undefined;
}

/** Branches and tags whose commits this one reaches. */
export async function refsWithin(repository: Seat, commit: string, env: NodeJS.ProcessEnv): Promise<readonly KnownRef[]> {
  const format = '%(objecttype) %(objectname) %(*objecttype) %(*objectname) %(refname)';
  const args = [
    'for-each-ref',
    `--merged=${commit}`,
    `--count=${LIMITS.historyRefs.value}`,
    `--format=${format}`,
    'refs/heads',
    'refs/tags',
  ];
  const out = await outputIn(repository, args, env, { mode: 'closed', maxBytes: 64 * 1024 * 1024, timeoutMs: 0 });
  return out
    .toString('latin1')
    .split('\n')
    .flatMap((line): KnownRef[] => {
      const [type, id = '', innerType, inner, ...name] = line.split(' ');
      if (type === 'commit') return [{ name: name.join(' '), id }];
      return type === 'tag' && innerType === 'commit' ? [{ name: name.join(' '), id, peeled: inner }] : [];
    });
}

/** Which hash its objects are named by. */
export async function objectFormat({ commonDir }: Pick<Seat, 'commonDir'>): Promise<'sha1' | 'sha256'> {
  return /^[ \t]*objectformat[ \t]*=[ \t]*"?sha256/im.test((await textOf(join(commonDir, 'config'))) ?? '') ? 'sha256' : 'sha1';
}

/** Patterns of files to be ignored that are in no tree: the project's own and the user's. */
export async function excludesOf(repository: Seat, path: string, env: NodeJS.ProcessEnv): Promise<string> {
  const home = env['HOME'] || homedir();
  const { code, out } = await look(path, ['config', '--global', '--path', '--get', 'core.excludesFile'], env);
  const said = code === 0 ? out.toString('utf8').trim() : '';
  const users = said !== '' ? said : join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'git', 'ignore');
  const texts = await Promise.all([join(repository.commonDir, 'info', 'exclude'), users].map(textOf));
  return texts.flatMap((text) => (text === undefined ? [] : [text.endsWith('\n') ? text : `${text}\n`])).join('');
}
