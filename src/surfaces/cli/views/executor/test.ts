import { plainLine } from '../../terminal/plain.ts';
import { wrap } from '../../terminal/wrap.ts';
import type { Paint, ViewStyle } from '../style.ts';

/** One thing that was looked at when an executor was tried. */
export interface Check {
  readonly name: string;
  readonly result: 'passed' | 'failed' | 'skipped';
  /** What was seen, or why it was not looked at. */
  readonly why?: string;
}

const MARKS: Readonly<Record<Check['result'], readonly [string, (paint: Paint) => (text: string) => string]>> = {
  passed: ['✓', (paint) => paint.green],
  failed: ['✗', (paint) => paint.red],
  skipped: ['–', (paint) => paint.dim],
};

export function checkLine({ name, result, why }: Check, { paint, width }: ViewStyle): string {
  const [sign, colour] = MARKS[result];
  const text = plainLine(why === undefined ? name : `${name}: ${why}`);
  const [first = '', ...rest] = wrap(text, Math.max(20, width - 2));
  return `${[`${colour(paint)(sign)} ${first}`, ...rest.map((line) => `  ${line}`)].join('\n')}\n`;
}

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export function tallyOf(checks: readonly Check[]): Tally {
  const count = (result: Check['result']) => checks.filter((check) => check.result === result).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

export const tallyLine = ({ passed, failed, skipped }: Tally, { paint }: ViewStyle): string =>
  `${(failed === 0 ? paint.green : paint.red)(`${passed} passed, ${failed} failed`)}${skipped === 0 ? '' : `, ${skipped} not tried`}\n`;
