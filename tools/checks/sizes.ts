import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Exemption, longFiles } from './exemptions.ts';
import { codeFiles, isTest } from './files.ts';
import type { Verdict } from './finding.ts';

const linesPerFile = 300;

/** No file over the limit; the percentiles are printed so that a drift is seen early. Functions are the linter's business. */
export async function checkSizes(root: string, exempt: readonly Exemption[] = longFiles): Promise<Verdict> {
  const sizes = codeFiles(root).map((path) => ({ path, lines: countLines(join(root, path)) }));
  const isExempt = (path: string): boolean => exempt.some((entry) => entry.path === path);
  const tooLong = sizes.filter(({ path, lines }) => lines > linesPerFile && !isExempt(path));
  const unneeded = exempt.filter(
    ({ path }) => !existsSync(join(root, path)) || (sizes.find((size) => size.path === path)?.lines ?? 0) <= linesPerFile,
  );
  const product = sizes.filter(({ path }) => path.startsWith('src/') && !isTest(path)).map(({ lines }) => lines);
  return {
    violations: [
      ...tooLong.map(({ path, lines }) => `${path} has ${lines} lines, the limit is ${linesPerFile}: what is its second noun?`),
      ...unneeded.map(({ path }) => `${path} is exempt from the line limit and does not need it: remove the entry`),
    ],
    notes: [
      `src: ${product.length} files, lines p50 ${percentile(product, 0.5)}, p90 ${percentile(product, 0.9)}, max ${percentile(product, 1)}`,
    ],
  };
}

const countLines = (file: string): number => readFileSync(file, 'utf8').trimEnd().split('\n').length;

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
