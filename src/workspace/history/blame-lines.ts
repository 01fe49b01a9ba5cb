import { Fault } from '../../domain/fault.ts';
import { answered } from '../git/git.ts';
import type { ScratchGitDir } from '../git/scratch-git-dir.ts';

export interface Blamed {
  readonly line: number;
  readonly text: string;
  readonly commit: string;
  readonly author: string;
  readonly at: string;
  readonly summary: string;
}

interface Wish {
  readonly file: string;
  readonly tip: string;
  readonly from?: number;
  readonly to?: number;
}

export async function blameLines(side: ScratchGitDir, { file, tip, from, to }: Wish): Promise<Blamed[]> {
  const path = file.replace(/^(?:\.\/)+/, '');
  if (path === '' || path.includes('\0')) throw new Fault('invalid', 'say which file');
  if (!isRange(from, to))
    throw new Fault('invalid', `lines are counted from 1, and ${from ?? 1} to ${to ?? 'the end'} is no range`);
  const range = from === undefined && to === undefined ? [] : [`-L${from ?? 1},${to ?? ''}`];
  const ran = await side.run(['blame', '--porcelain', '--encoding=UTF-8', ...range, tip, '--', path]);
  const count = /has only (\d+) lines?/.exec(ran.err)?.[1];
  if (count !== undefined) throw new Fault('invalid', `${file} has only ${count} lines`, { file });
  if (/no such path|no such file/i.test(ran.err))
    throw new Fault('not_found', `there is no file ${JSON.stringify(file)} in ${tip}`, { file });
  return readPorcelain(answered(ran, `blame ${file}`, 'not_found'));
}

const isRange = (from = 1, to = from): boolean => Number.isInteger(from) && Number.isInteger(to) && from >= 1 && to >= from;

/** Each line is a heading `id, line before, line now`, what is new about the commit, and the text after a tab. */
function readPorcelain(out: Buffer): Blamed[] {
  const commits = new Map<string, Record<string, string>>();
  const lines: Blamed[] = [];
  let [commit, line] = ['', 0];
  for (const row of out.toString('utf8').split('\n')) {
    const heading = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(row);
    if (heading && commit === '') {
      commit = heading[1] ?? '';
      line = Number(heading[2]);
    } else if (row.startsWith('\t')) {
      lines.push({ line, text: row.slice(1), commit, ...told(commits.get(commit) ?? {}) });
      commit = '';
    } else if (commit !== '') {
      const facts = commits.get(commit) ?? {};
      const space = row.indexOf(' ');
      facts[space === -1 ? row : row.slice(0, space)] = space === -1 ? '' : row.slice(space + 1);
      commits.set(commit, facts);
    }
  }
  return lines;
}

const told = (facts: Record<string, string>) => ({
  author: facts['author'] ?? '',
  at: new Date(Number(facts['author-time'] ?? 0) * 1_000).toISOString(),
  summary: facts['summary'] ?? '',
});
