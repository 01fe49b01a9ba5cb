import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyIndex } from '../entry.ts';
import type { Who } from '../site.ts';

/** A git directory as Fleet writes it, file by file: no template, no hooks, nothing taken over from another one. */
export interface GitFiles {
  readonly format: 'sha1' | 'sha256';
  /** What HEAD says: `ref: refs/heads/…`, or a commit. */
  readonly head: string;
  /** Lines of packed-refs, one character for each byte. */
  readonly refs?: readonly string[] | undefined;
  /** Where objects are borrowed. */
  readonly alternates: readonly string[];
  readonly shallow?: string | undefined;
  readonly index?: string | undefined;
  readonly excludes?: string | undefined;
  /** Whose commits are made in it. Some agents keep the files of their user's home from git. */
  readonly who?: Who | undefined;
}

const DIRECTORIES = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info'];

export async function writeGitFiles(place: string, files: GitFiles): Promise<void> {
  for (const part of DIRECTORIES) await mkdir(join(place, part), { recursive: true });
  const put = (name: string, text: string | Buffer | undefined) =>
    text === undefined ? undefined : writeFile(join(place, name), text, { flag: 'wx' });
  const refs = files.refs?.map((line) => `${line}\n`).join('');
  await Promise.all([
    put('HEAD', `${files.head}\n`),
    put('config', configOf(files)),
    put('objects/info/alternates', files.alternates.map((path) => `${path}\n`).join('')),
    put('packed-refs', refs === undefined ? undefined : Buffer.from(refs, 'latin1')),
    put('shallow', files.shallow),
    put('info/exclude', files.excludes),
    files.index === undefined ? undefined : copyIndex(files.index, join(place, 'index')),
  ]);
}

const configOf = ({ format, who }: GitFiles): string =>
  [
    `[core]\n\trepositoryformatversion = ${format === 'sha1' ? 0 : 1}\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n`,
    format === 'sha1' ? '' : '[extensions]\n\tobjectformat = sha256\n',
    who ? `[user]\n\tname = ${quoted(who.name)}\n\temail = ${quoted(who.email)}\n` : '',
  ].join('');

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
