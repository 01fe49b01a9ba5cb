import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { failingNames, failingTests, failingText } from './failing-tests.ts';

const recorded = (name: string) => readFileSync(new URL(`./fixtures/runners/${name}.txt`, import.meta.url), 'utf8');

const JEST = `FAIL src/sum.test.js
  sum
    ✓ works (2 ms)
    ✕ adds two numbers (4 ms)

  ● sum › adds two numbers

    expect(received).toBe(expected) // Object.is equality

    Expected: 3
    Received: -1

      at Object.<anonymous> (src/sum.test.js:4:21)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 passed, 2 total
`;
const MOCHA = `  sum
    ✔ works
    1) adds two numbers


  1 passing (6ms)
  1 failing

  1) sum
       adds two numbers:

      AssertionError [ERR_ASSERTION]: -1 == 3
      + expected - actual

      --1
      +3

      at Context.<anonymous> (test/sum.js:5:12)
      at process.processImmediate (node:internal/timers:483:21)

`;
const GO = `=== RUN   TestWorks
--- PASS: TestWorks (0.00s)
=== RUN   TestAdds
    sum_test.go:9: got -1, want 3
--- FAIL: TestAdds (0.00s)
    sum_test.go:9: got -1, want 3
FAIL
FAIL	example.com/sum	0.002s
FAIL
`;
const SUREFIRE = `[INFO] Running com.example.SumTest
[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.045 s <<< FAILURE! -- in com.example.SumTest
[ERROR] com.example.SumTest.addsTwoNumbers -- Time elapsed: 0.005 s <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <3> but was: <-1>
	at org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)
	at com.example.SumTest.addsTwoNumbers(SumTest.java:12)

[INFO] Results:
[ERROR] Failures:
[ERROR]   SumTest.addsTwoNumbers:12 expected: <3> but was: <-1>
`;
const RSPEC = `F.

Failures:

  1) Sum adds two numbers
     Failure/Error: expect(Sum.new.add(1, 2)).to eq(3)

       expected: 3
            got: -1

       (compared using ==)
     # ./spec/sum_spec.rb:5:in 'block (2 levels) in <top (required)>'

Finished in 0.01234 seconds (files took 0.1 seconds to load)
2 examples, 1 failure
`;
const PHPUNIT = `PHPUnit 11.0.0 by Sebastian Bergmann and contributors.

F.                                                                  2 / 2 (100%)

There was 1 failure:

1) SumTest::testAddsTwoNumbers
Failed asserting that -1 matches expected 3.

/project/tests/SumTest.php:9

FAILURES!
Tests: 2, Assertions: 2, Failures: 1.
`;
const CTEST = `1/2 Test #1: works ............................   Passed    0.00 sec
2/2 Test #2: adds_two .........................***Failed    0.00 sec

50% tests passed, 1 tests failed out of 2

The following tests FAILED:
	  2 - adds_two (Failed)
Errors while running CTest
`;
const TAP = `1..3
ok 1 - works
not ok 2 - adds two numbers
#   Failed test 'adds two numbers'
#   at t/sum.t line 5.
#          got: '-1'
not ok 3 - later # TODO not yet
`;

describe('the failed tests in the output of a test runner [WORK-05]', () => {
  it.each([
    ['vitest', recorded('vitest'), 'sum.test.ts > sum > adds two numbers', 'expected -1 to be 3'],
    ['node:test, spec', recorded('nodespec'), 'adds two numbers', '-1 == 3'],
    ['node:test, tap', recorded('nodetap'), 'adds two numbers', "error: '-1 == 3'"],
    ['pytest', recorded('pytest'), 'test_adds', 'assert -1 == 3'],
    ['cargo', recorded('cargo'), 'tests::adds_two', 'panicked at src/lib.rs:6:21'],
    ['jest', JEST, 'sum › adds two numbers', 'Received: -1'],
    ['mocha', MOCHA, 'sum > adds two numbers', '-1 == 3'],
    ['go', GO, 'TestAdds', 'got -1, want 3'],
    ['surefire', SUREFIRE, 'com.example.SumTest.addsTwoNumbers', 'expected: <3> but was: <-1>'],
    ['rspec', RSPEC, 'Sum adds two numbers', 'expected: 3'],
    ['PHPUnit', PHPUNIT, 'SumTest::testAddsTwoNumbers', 'matches expected 3'],
    ['ctest', CTEST, 'adds_two', ''],
    ['TAP', TAP, 'adds two numbers', "got: '-1'"],
  ])('%s', (_runner, output, name, detail) => {
    const found = failingTests(output);
    expect(found.map((one) => one.name)).toEqual([name]);
    expect(found[0]?.detail).toContain(detail);
    expect(found[0]?.detail).not.toMatch(/node:internal|\/rustc\/|org\.junit/);
    // The same output with colours and line ends of a terminal.
    const coloured = output.replaceAll(/(FAIL|FAILED|●)/g, '\x1b[31m$1\x1b[39m').replaceAll('\n', '\r\n');
    expect(failingTests(coloured).map((one) => one.name)).toEqual([name]);
  });

  it('are empty for output of an unknown runner', () => {
    expect(failingTests('')).toEqual([]);
    expect(failingTests('make: *** [all] Error 1\nit failed\n')).toEqual([]);
  });

  it('are limited in number and length, and named in one line', () => {
    const many = Array.from({ length: 40 }, (_, n) => `--- FAIL: Test${n} (0.00s)\n${'    x.go:1: no\n'.repeat(500)}`).join('');
    const found = failingTests(many);
    expect(found).toHaveLength(10);
    expect(failingText(found).length).toBeLessThan(30_000);
    expect(failingNames(found)).toBe('Test0, Test1, Test2 and 7 more');
  });
});
