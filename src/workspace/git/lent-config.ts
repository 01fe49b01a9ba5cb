import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../domain/fault.ts';
import { exists, hasCode } from '../../platform/files.ts';
import { readRegular } from '../../platform/read-safely.ts';
import { type Setting, settingsOfFile } from './repository-settings.ts';

/** Settings of a repository that say how its files and history are to be read. None of them names a program. */
const TAKEN: readonly RegExp[] = [
  /^core\.(repositoryformatversion|filemode|symlinks|ignorecase|precomposeunicode|protecthfs|protectntfs)$/,
  /^core\.(autocrlf|eol|safecrlf|sharedrepository|logallrefupdates|bigfilethreshold|sparsecheckout|sparsecheckoutcone)$/,
  /^extensions\.(objectformat|compatobjectformat|preciousobjects|noop)$/,
  /^(user|author|committer)\.(name|email)$/,
  /^remote\.(.+)\.(url|pushurl|fetch)$/s,
  /^remote\.pushdefault$/,
  /^branch\.(.+)\.(remote|merge|pushremote)$/s,
  /^url\.(.+)\.(insteadof|pushinsteadof)$/s,
  /^(merge|diff)\.(renames|renamelimit)$/,
  /^merge\.directoryrenames$/,
  /^i18n\.commitencoding$/,
];

const MOST_CONFIG_BYTES = 16 * 1024 * 1024;

interface Format {
  readonly hash: 'sha1' | 'sha256';
  readonly refs: string;
  readonly isBare: boolean;
}

/** Read as text: how a repository keeps objects and refs must be known before git can be asked anything of it. */
export async function formatOf(commonDir: string): Promise<Format> {
  const file = join(commonDir, 'config');
  const read = await readRegular(file, MOST_CONFIG_BYTES);
  if (!('bytes' in read) && (await exists(file)))
    throw new Fault('unavailable', `${file} is no plain file: the repository cannot be used`, { path: file });
  const text = 'bytes' in read ? read.bytes.toString('utf8') : '';
  const valueOf = (name: string): string | undefined =>
    [...text.matchAll(new RegExp(`^[ \\t]*${name}[ \\t]*=[ \\t]*"?(\\w+)`, 'gim'))].at(-1)?.[1]?.toLowerCase();
  const format = {
    hash: valueOf('objectformat') === 'sha256' ? ('sha256' as const) : ('sha1' as const),
    refs: valueOf('refstorage') ?? 'files',
    isBare: valueOf('bare') === 'true',
  };
  if (format.refs !== 'files')
    throw new Fault('unavailable', `${commonDir} keeps its refs as ${format.refs}, which Fleet cannot use yet`, {
      path: commonDir,
    });
  return format;
}

export type Pair = Pick<Setting, 'key' | 'value'>;

export const formatSettings = (hash: Format['hash']): Pair[] =>
  hash === 'sha1'
    ? [{ key: 'core.repositoryformatversion', value: '0' }]
    : [
        { key: 'core.repositoryformatversion', value: '1' },
        { key: 'extensions.objectformat', value: hash },
      ];

/** What git must be set to for the history of a repository to be read. */
export const historyConfig = async (commonDir: string): Promise<Pair[]> => formatSettings((await formatOf(commonDir)).hash);

/** The same for its refs to be moved, and its files to be read and written. */
export async function filesConfig(commonDir: string, env: NodeJS.ProcessEnv): Promise<Pair[]> {
  const { isBare } = await formatOf(commonDir);
  const settings = await settingsOfFile(join(commonDir, 'config'), env);
  // Where nothing is said, git keeps a log of refs only for a repository with a checkout.
  const logs = isBare ? [{ key: 'core.logallrefupdates', value: 'false' }] : [];
  if (!isBare)
    await mkdir(join(commonDir, 'logs')).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  return [...logs, ...settings.filter(({ key }) => TAKEN.some((pattern) => pattern.test(key)))];
}
