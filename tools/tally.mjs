import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { root } from './paths.mjs';

const fullOnly = '(full run only)';

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
    ...tests.filter(passedLater).map(({ file, fullName }) => `${file}: ${fullName}: passed only when it was tried again`),
    ...report.testResults
      .filter(brokeOutsideTests)
      .map(({ name }) => `${relative(root, name)}: the file failed outside its tests`),
  ];
  if (failures.length === 0 && exitCode !== 0)
    failures.push(`vitest ended with code ${exitCode} although no test failed: see its errors above`);
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    failures,
    leftForFull: skipped.filter(({ title }) => title.endsWith(fullOnly)).length,
    skipped: skipped.filter(({ title }) => !title.endsWith(fullOnly)).map(({ file, fullName }) => `${file}: ${fullName}`),
    seeds: failed.flatMap(({ failureMessages }) => failureMessages.flatMap(seedLines)),
  };
}

const nothing = { passed: 0, failures: [], leftForFull: 0, skipped: [], seeds: [] };

const passedLater = ({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0;

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
