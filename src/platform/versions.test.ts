import { expect, it } from 'vitest';
import { compareVersions } from './versions.ts';

it.each([
  ['1.2.3', '1.2.3', 0],
  ['1.10.0', '1.9.9', 1],
  ['1.2', '1.2.1', -1],
  ['1.2.0', '1.2', 0],
  ['2.0.0-beta.1', '2.0.0', -1],
  ['2.0.0+build', '2.0.0', 0],
  ['0.145.0', '0.59.1', 1],
] as const)('orders %s and %s', (a, b, order) => expect(compareVersions(a, b)).toBe(order));
