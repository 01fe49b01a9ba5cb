/**
 * `tsx tools/proved.ts REPORT [--full]`: prints as JSON which requirements are neither open nor proved by a run of all tests. A title proves
 * something only when its test ran and passed; figures are proved by `npm run bench`. Started by tools/test.mjs.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { citedRequirements, idsIn } from '../test/cited-requirements.ts';
import { fullRunRequirements } from '../test/full-run-requirements.ts';
import { openRequirements } from '../test/open-requirements.ts';
import { requirements } from '../test/requirements.ts';

interface Report {
  readonly testResults: readonly { readonly assertionResults: readonly Ran[] }[];
}
interface Ran {
  readonly fullName: string;
  readonly status: string;
}

export interface Claims {
  readonly known: readonly string[];
  readonly open: readonly string[];
  /** Proved by the full run alone. */
  readonly fullRun: readonly string[];
  /** Proved by benchmarks. */
  readonly figures: readonly string[];
}

export interface Verdict {
  /** What is wrong with the claims. */
  readonly wrong: readonly string[];
  /** Proved by nothing on this machine, because it lacks a program; the titles of the tests say which. */
  readonly elsewhere: readonly string[];
}

export function judge(tests: readonly Ran[], { known, open, fullRun, figures }: Claims, isFull: boolean): Verdict {
  const cited = (is: (test: Ran) => boolean) => new Set(tests.filter(is).flatMap(({ fullName }) => [...idsIn(`'${fullName}'`)]));
  const passed = cited(({ status }) => status === 'passed');
  const leftForFull = cited(({ fullName, status }) => status !== 'passed' && fullName.endsWith('(full run only)'));
  const impossible = cited(
    ({ fullName, status }) => status !== 'passed' && status !== 'failed' && fullName.includes('; not run: '),
  );
  const unproved = known.filter(
    (id) =>
      !open.includes(id) && !passed.has(id) && !figures.includes(id) && (isFull || !fullRun.includes(id) || !leftForFull.has(id)),
  );
  const advice = isFull ? '' : '; if one of the full run proves it, list it in test/full-run-requirements.ts';
  return {
    elsewhere: unproved.filter((id) => impossible.has(id)),
    wrong: [
      ...unproved.filter((id) => !impossible.has(id)).map((id) => `${id} is proved by no test that ran and passed${advice}`),
      ...fullRun
        .filter((id) => !isFull && passed.has(id))
        .map((id) => `${id} is proved by npm test: take it off test/full-run-requirements.ts`),
      ...fullRun
        .filter((id) => open.includes(id) || !known.includes(id))
        .map((id) => `${id} of test/full-run-requirements.ts is open or unknown`),
    ],
  };
}

if (process.argv[1] === import.meta.filename) {
  const report = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Report;
  const cited = citedRequirements(join(import.meta.dirname, '..'));
  const claims: Claims = {
    known: requirements.map(({ id }) => id),
    open: openRequirements,
    fullRun: fullRunRequirements,
    figures: [...cited].filter(([, files]) => files.some((file) => file.startsWith('bench/'))).map(([id]) => id),
  };
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  console.log(JSON.stringify(judge(tests, claims, process.argv.includes('--full'))));
}
