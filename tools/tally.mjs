import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { root } from './paths.mjs';

const fullOnly = '(full run only)';
/** A machine that stands still for a moment spoils one test now and then; more than a few are a fault of ours. */
const mostUnsteady = 3;

/**
 * Counts a vitest JSON report. A file that could not be loaded, an error outside every test and a report that is missing
 * are failures like any other: nothing that went wrong may look like success.
 */
export function tally(reportFile, exitCode) {
  const report = readReport(reportFile);
  if (!report) return { ...nothing, failures: [`vitest ended with code ${exitCode} and left no report`] };
  const tests = report.testResults.flatMap((file) =>
    file.assertionResults.map((test) => ({ ...test, file: relative(root, file.name) })),
  );
  const failed = tests.filter(({ status }) => status === 'failed');
  const skipped = tests.filter(({ status }) => status === 'skipped' || status === 'pending' || status === 'todo');
  const failures = [
    ...failed.map(({ file, fullName }) => `${file}: ${fullName}`),
    ...report.testResults
      .filter(brokeOutsideTests)
      .map(({ name }) => `${relative(root, name)}: the file failed outside its tests`),
  ];
  if (failures.length === 0 && exitCode !== 0)
    failures.push(`vitest ended with code ${exitCode} although no test failed: see its errors above`);
  const unsteady = tests
    .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0)
    .map(({ file, fullName, failureMessages }) => `${file}: ${fullName}\n      ${failureMessages[0].split('\n', 1)[0]}`);
  if (unsteady.length > mostUnsteady)
    failures.push(`${unsteady.length} tests passed only at the second try; ${mostUnsteady} are borne`);
  return {
    unsteady,
    passed: tests.filter(({ status }) => status === 'passed').length,
    failures,
    leftForFull: skipped.filter(({ title }) => title.endsWith(fullOnly)).length,
    skipped: skipped.filter(({ title }) => !title.endsWith(fullOnly)).map(({ file, fullName }) => `${file}: ${fullName}`),
    seeds: failed.flatMap(({ failureMessages }) => failureMessages.flatMap(seedLines)),
  };
}

const nothing = { unsteady: [], passed: 0, failures: [], leftForFull: 0, skipped: [], seeds: [] };

const brokeOutsideTests = ({ status, assertionResults }) =>
  status === 'failed' && !assertionResults.some((test) => test.status === 'failed');

const seedLines = (message) =>
  message
    .split('\n')
    .filter((line) => /\bseed\b\s*[:=]?\s*-?\d/i.test(line))
    .map((line) => line.trim());

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
