/**
 * Vitest reporter that appends one line per start and end of a test or file to $FLEET_TEST_RUNNING. The file is written at once, so
 * that it can be read when vitest itself hangs.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { root } from './paths.mjs';

export default class RunningTests {
  #file = process.env.FLEET_TEST_RUNNING;

  onTestModuleQueued = (module) => this.#note('+', fileOf(module));
  onTestModuleEnd = (module) => this.#note('-', fileOf(module));
  onTestCaseReady = (test) => this.#note('+', titleOf(test));
  onTestCaseResult = (test) => this.#note('-', titleOf(test));

  #note(sign, name) {
    if (this.#file) appendFileSync(this.#file, `${sign}${JSON.stringify(name)}\n`);
  }
}

const fileOf = (module) => relative(root, module.moduleId);
const titleOf = (test) => `${fileOf(test.module)}: ${test.fullName}`;

/**
 * The tests that began and did not end. A file counts while none of its tests is known to run: it is being loaded, hangs in a hook, or is busy
 * in a loop that lets nothing be told.
 */
export function runningTests(file) {
  const running = new Set();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '') continue;
    const name = JSON.parse(line.slice(1));
    if (line.startsWith('+')) running.add(name);
    else running.delete(name);
  }
  const all = [...running];
  return all.filter((name) => !all.some((other) => other.startsWith(`${name}: `)));
}
