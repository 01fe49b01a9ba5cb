import { answered } from '../git/git.ts';
import { historyOf } from '../git/in-repository.ts';
import type { ScratchGitDir } from '../git/scratch-git-dir.ts';

export interface Changes {
  /** Newest first, at most 200. */
  readonly commits: readonly { readonly id: string; readonly subject: string }[];
  /** At most 1,000; lines are undefined for a binary file. */
  readonly files: readonly {
    readonly path: string;
    /** What it was called before. */
    readonly from?: string | undefined;
    readonly status: string;
    readonly added: number | undefined;
    readonly removed: number | undefined;
  }[];
  readonly totals: { readonly commits: number; readonly files: number; readonly added: number; readonly removed: number };
}

interface Span {
  readonly base: string;
  readonly tip: string;
}

const MAX_COMMITS = 200;
const MAX_FILES = 1_000;
/** Beyond this many candidates a rename is told as a removal and an addition. */
const FIND_RENAMES = ['--find-renames', '-l1000'];
const PLAIN = ['--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=none'];

/** What `tip` adds to where it parted from `base`. Without a common commit, everything in `tip`. */
export async function changesBetween(repository: string, { base, tip }: Span, env: NodeJS.ProcessEnv): Promise<Changes> {
  await using side = await historyOf(repository, env);
  const start = await fork(side, { base, tip });
  const diff = ['diff-tree', '-r', '-z', '--raw', '--numstat', '--no-commit-id', ...FIND_RENAMES, ...PLAIN, start, tip];
  const [commits, count, files] = await Promise.all([
    side.run(['log', '-z', `--max-count=${MAX_COMMITS}`, '--format=%H %s', '--no-show-signature', tip, `^${base}`, '--']),
    side.run(['rev-list', '--count', tip, `^${base}`, '--']),
    side.run(diff),
  ]);
  const all = readFiles(answered(files, `compare ${start} with ${tip}`, 'not_found').toString('utf8'));
  const sum = (side: 'added' | 'removed') => all.reduce((total, file) => total + (file[side] ?? 0), 0);
  return {
    commits: zeroSplit(answered(commits, `list the commits of ${tip}`, 'not_found').toString('utf8')).map(readCommit),
    files: all.slice(0, MAX_FILES),
    totals: {
      commits: Number(answered(count, `count the commits of ${tip}`, 'not_found').toString('utf8')),
      files: all.length,
      added: sum('added'),
      removed: sum('removed'),
    },
  };
}

/** The same as one text to read, cut at a line. */
export async function diffText(
  repository: string,
  span: Span & { readonly maxBytes: number },
  env: NodeJS.ProcessEnv,
): Promise<{ readonly text: string; readonly cut: boolean }> {
  await using side = await historyOf(repository, env);
  const start = await fork(side, span);
  const diff = ['diff-tree', '-r', '-p', '--no-commit-id', ...FIND_RENAMES, ...PLAIN, start, span.tip];
  const ran = await side.run(diff, { maxBytes: span.maxBytes });
  const text = (ran.stopped === 'output' ? ran.out : answered(ran, `compare ${start} with ${span.tip}`, 'not_found')).toString(
    'utf8',
  );
  return { text: ran.stopped === 'output' ? text.slice(0, text.lastIndexOf('\n') + 1) : text, cut: ran.stopped === 'output' };
}

async function fork(side: ScratchGitDir, { base, tip }: Span): Promise<string> {
  const found = await side.run(['merge-base', base, tip]);
  if (found.code === 0) return found.out.toString('utf8').trim();
  if (found.code !== 1) answered(found, `find where ${tip} parted from ${base}`, 'not_found');
  return answered(await side.run(['hash-object', '-t', 'tree', '/dev/null']), 'name the empty tree', 'not_found')
    .toString('utf8')
    .trim();
}

const zeroSplit = (text: string): string[] => text.split('\0').filter((part) => part !== '');

const readCommit = (line: string) => ({ id: line.slice(0, line.indexOf(' ')), subject: line.slice(line.indexOf(' ') + 1) });

type ChangedFile = Changes['files'][number];

/** First `:modes ids status NUL path NUL` for each file, then `added TAB removed TAB path NUL`; a rename has two paths in each. */
function readFiles(text: string): ChangedFile[] {
  const parts = text.split('\0');
  const statuses = new Map<string, string>();
  const files: ChangedFile[] = [];
  for (let at = 0; at < parts.length - 1; ) {
    const part = parts[at] ?? '';
    if (part.startsWith(':')) {
      const status = part.slice(part.lastIndexOf(' ') + 1);
      const isMove = /^[RC]/.test(status);
      statuses.set(parts[at + (isMove ? 2 : 1)] ?? '', status.slice(0, 1));
      at += isMove ? 3 : 2;
      continue;
    }
    const [added = '', removed = '', ...rest] = part.split('\t');
    const isMove = rest.join('\t') === '';
    const path = isMove ? (parts[at + 2] ?? '') : rest.join('\t');
    const from = isMove ? { from: parts[at + 1] ?? '' } : {};
    files.push({ path, ...from, status: statuses.get(path) ?? 'M', added: lines(added), removed: lines(removed) });
    at += isMove ? 3 : 1;
  }
  return files;
}

const lines = (figure: string): number | undefined => (figure === '-' ? undefined : Number(figure));
