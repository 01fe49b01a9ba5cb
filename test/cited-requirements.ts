import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const skipped = new Set(['node_modules', 'dist', 'coverage', '.git', '.cache']);
const citation = /\[((?:[A-Z]+-\d{2}|[RTP]\d{1,2})(?:, ?(?:[A-Z]+-\d{2}|[RTP]\d{1,2}))*)\]/g;

/** Id -> files that cite it. Tests and conformance suites cite in titles; benchmarks in theirs. */
export function citedRequirements(root: string): Map<string, string[]> {
  const cited = new Map<string, string[]>();
  for (const path of provingFiles(root)) {
    const text = readFileSync(join(root, path), 'utf8');
    for (const id of [...idsIn(text), ...figuresIn(path, text)]) cited.set(id, [...(cited.get(id) ?? []), path]);
  }
  return cited;
}

/** A benchmark names the row of the goals it measures. */
const figuresIn = (path: string, text: string): string[] =>
  path.startsWith('bench/') ? [...text.matchAll(/\bid: '(P\d{1,2})'/g)].map((match) => match[1] ?? '') : [];

/** The ids a source text cites: `[TASK-03]` or `[TASK-03, R13]` inside a string. Comments and array literals prove nothing. */
export function idsIn(source: string): Set<string> {
  const lines = source.split('\n').filter((line) => !/^\s*(\/\/|\/?\*)/.test(line));
  const groups = lines.flatMap((line) =>
    [...line.matchAll(citation)].filter((match) => isQuoted(line, match.index)).map((match) => match[1] ?? ''),
  );
  return new Set(groups.flatMap((group) => group.split(/, ?/)));
}

const isQuoted = (line: string, index: number): boolean => /['"`]/.test(line.slice(0, index));

function provingFiles(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : provingFiles(root, path);
    return isProof(path) ? [path] : [];
  });
}

const isProof = (path: string): boolean =>
  path !== 'test/requirements.test.ts' &&
  (/[.]test[.]tsx?$/.test(path) || /\/conformance\/.*[.]ts$/.test(path) || /^bench\/.*[.](ts|mjs)$/.test(path));
