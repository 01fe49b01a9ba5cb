import { it, type TestFunction } from 'vitest';

/** True in `npm run test:full`. For a test that runs in both, but longer in the full run: `inFullRun ? 10_000 : 1_000` seeds. */
export const inFullRun = process.env['FLEET_TEST_FULL'] === '1';

/** tools/test.mjs counts the tests left out by this ending of their titles. */
const mark = '(full run only)';

/** A test too long for `npm test`. It is counted there, and runs in `npm run test:full`. */
export function fullOnly(title: string, body: TestFunction): void {
  it.skipIf(!inFullRun)(`${title} ${mark}`, body);
}
