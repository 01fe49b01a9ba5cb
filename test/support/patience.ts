import { expect, vi } from 'vitest';

/**
 * Set-up of every test file. Tests wait for facts, and how long they wait decides nothing but when a fact that never comes is called missing. In
 * `npm test` that is at least ten minutes, however little a test asks for: a busy machine is no failure.
 */
const LEAST_MS = process.env['FLEET_TEST_MARK'] === undefined ? 60_000 : 600_000;

const { waitFor, waitUntil } = vi;
const { poll } = expect;
type Options = Parameters<typeof waitFor>[1];
const patient = (options: Options = {}) => {
  const given = typeof options === 'number' ? { timeout: options } : options;
  return { ...given, timeout: Math.max(given.timeout ?? 0, LEAST_MS) };
};

// Test files that share a thread share these objects: they are changed once.
const done = Symbol.for('fleet.patience');
if (!Reflect.has(vi, done)) {
  Reflect.set(vi, done, true);
  vi.waitFor = (ask, options) => waitFor(ask, patient(options));
  vi.waitUntil = (ask, options) => waitUntil(ask, patient(options));
  expect.poll = (ask, options) => poll(ask, patient(options));
}
