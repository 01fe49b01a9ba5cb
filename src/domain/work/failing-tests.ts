/** One failed test and what the runner prints about it. */
export interface FailingTest {
  readonly name: string;
  readonly detail: string;
}

/** How one family of test runners prints failed tests. */
interface Form {
  /** Failures are printed only below this line. */
  readonly section?: RegExp;
  /** The first line of one failure; its first group is the name. */
  readonly start: RegExp;
  /** The first line after the failure. */
  readonly end: RegExp;
  /** A block with this line is skipped: it only reports that a test inside it failed. */
  readonly not?: RegExp;
}

const NUMBERED = /^\s{0,4}\d+\) (.+)$/;

/** The first form that matches is used, so forms that could match the output of another runner come later. */
const FORMS: readonly Form[] = [
  // vitest
  { start: /^ ?FAIL {1,2}(?:\|[^|]+\| )?(.+ > .+)$/, end: /^⎯{5,}|^ ?FAIL / },
  // jest
  { start: /^ {2}● (?!Console)(.+)$/, end: /^ {2}● |^(?:Test Suites|FAIL|PASS)\b/ },
  // pytest
  { section: /^=+ (?:FAILURES|ERRORS) =+$/, start: /^_{3,} (.+?) _{3,}$/, end: /^_{3,} .+ _{3,}$|^=+ .+ =+$/ },
  { start: /^(?:FAILED|ERROR) (\S+(?:::\S+)+(?: - .*)?)$/, end: /^/ },
  // cargo test
  { start: /^---- (\S+) stdout ----$/, end: /^---- .+ ----$|^failures:$/ },
  // go test
  { start: /^\s*--- FAIL: (\S+)/, end: /^\s*(?:--- |=== |FAIL|ok|PASS|exit status)/ },
  // node:test, spec reporter
  { section: /^✖ failing tests:$/, start: /^✖ (.+?)(?: \([\d.]+m?s\))?$/, end: /^✖ |^test at /, not: /subtests? failed/ },
  // TAP
  {
    start: /^(?!.*# (?:TODO|SKIP))\s*not ok \d*(?: - | )?(.+)$/i,
    end: /^\s*(?:ok|not ok) |^\s*\.\.\.$|^\s*# Subtest|^\s*\d+\.\.\d+/,
    not: /subtestsFailed/,
  },
  // mocha, rspec, PHPUnit
  {
    section: /^\s*\d+ failing$|^Failures:$|^There (?:was|were) \d+ (?:failure|error)s?:$/,
    start: NUMBERED,
    end: /^\s{0,4}\d+\) .+$|^(?:Finished in|FAILURES!|ERRORS!|--$)/,
  },
  // Maven surefire and the JUnit console
  {
    start: /^(?:\[ERROR\] )?(?!Tests run|\[)(\S+) .*<<< (?:FAILURE|ERROR)!/,
    end: /^\s*$|<<< (?:FAILURE|ERROR)!|^\[(?:INFO|ERROR)\]/,
  },
  { start: /^\[ERROR\] {3,}(\S+:\d+.*)$/, end: /^/ },
  // ctest
  { section: /^The following tests FAILED:$/, start: /^\s*\d+ - (\S+) \(.+\)/, end: /^/ },
];

const MOST = 10;
const LINES = 20;
const CHARACTERS = 2_000;
const NAME = 300;

const ANSI = /\x1b\[[0-9;?]*[ -/]*[@-~]/g;
/** Stack frames of the test runner, not of the test. */
const FRAME =
  /^\s*(?:at .*(?:node:internal|node:async_hooks|node_modules)|at async Test\.|\d+: (?:__rustc|core::|std::|<fn|test::)|at \/rustc\/|at (?:org\.junit|java\.base|sun\.reflect|jdk\.internal)|# \S*\/gems\/|(?:Test\.|async Test\.)\w+ \(node:internal|stack backtrace:|note: (?:Some details|run with))/;

/** The failed tests as the runner prints them; none if no runner is recognised. */
export function failingTests(output: string): readonly FailingTest[] {
  const lines = output.replaceAll(ANSI, '').split(/\r?\n/);
  for (const form of FORMS) {
    const found = blocks(lines, form);
    if (found.length > 0) return found.slice(0, MOST);
  }
  return [];
}

function blocks(lines: readonly string[], { section, start, end, not }: Form): FailingTest[] {
  const found = new Map<string, FailingTest>();
  let at = section === undefined ? 0 : lines.findIndex((line) => section.test(line)) + 1;
  if (section !== undefined && at === 0) return [];
  while (at < lines.length) {
    const name = start.exec(lines[at] ?? '')?.[1];
    at += 1;
    if (name === undefined) continue;
    const from = at;
    while (at < lines.length && !end.test(lines[at] ?? '')) at += 1;
    const block = lines.slice(from, at);
    if (not && block.some((line) => not.test(line))) continue;
    const test = named(name.trim(), block);
    if (!found.has(test.name)) found.set(test.name, test);
  }
  return [...found.values()];
}

/** Mocha prints suite and test on separate lines, with a colon after the last. */
function named(first: string, block: readonly string[]): FailingTest {
  const last = block.slice(0, 4).findIndex((line) => /^\s{6,}\S.*:$/.test(line));
  const isMocha =
    last !== -1 && block.slice(0, last).every((line) => /^\s{6,}\S/.test(line)) && !/Failure\/Error/.test(block[last] ?? '');
  const parts = isMocha ? block.slice(0, last + 1).map((line) => line.trim()) : [];
  const name = [first, ...parts].join(' > ').replace(/:$/, '').slice(0, NAME);
  return { name, detail: detailOf(isMocha ? block.slice(last + 1) : block) };
}

function detailOf(block: readonly string[]): string {
  const kept = block.filter((line) => !FRAME.test(line)).map((line) => line.trimEnd());
  const lines = kept.filter((line, at) => line !== '' || (kept[at - 1] ?? '') !== '');
  const text = lines.join('\n').replace(/^\n|\n$/g, '');
  const short = text.split('\n').slice(0, LINES).join('\n').slice(0, CHARACTERS);
  return short.length < text.length ? `${short}\n…` : short;
}

/** The names of the failed tests in one line. */
export function failingNames(failures: readonly FailingTest[], most = 3): string {
  const names = failures.slice(0, most).map(({ name }) => name);
  const more = failures.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** All failed tests with their details, for a repair. */
export const failingText = (failures: readonly FailingTest[]): string =>
  failures.map(({ name, detail }) => (detail === '' ? `✗ ${name}` : `✗ ${name}\n${detail}`)).join('\n\n');
