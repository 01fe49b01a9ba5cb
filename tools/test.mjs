/**
 * `npm test`: sets up, builds, checks, runs the tests, looks for processes left behind.
 *
 *   node tools/test.mjs [--full] [--only unit|process|e2e|simulation|check] [--coverage] [--hang-minutes N] [vitest filters…]
 *
 * The last line is always `N passed, N failed`, whatever broke. Steps of the check count as tests.
 * With --only or a filter the steps of the check are left out.
 *
 * How long it takes is printed and fails nothing. Only a run in which no test has begun or ended for an hour (two in the full run) is ended,
 * and the tests that were running then are named.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { census, end } from './census.mjs';
import { runChecks } from './check.mjs';
import { hangGuard } from './hang-guard.mjs';
import { root } from './paths.mjs';
import { run } from './run.mjs';
import { setUp } from './setup.mjs';
import { tally } from './tally.mjs';

const minute = 60_000;
/** What a run takes on two quiet cores. A figure to compare with, and no limit. */
const expectedMinutes = { usual: 12, full: 120 };
const hangMinutes = { usual: 60, full: 120 };
const marker = 'FLEET_TEST_MARK';
const projects = ['unit', 'process', 'e2e', 'simulation'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    full: { type: 'boolean' },
    only: { type: 'string' },
    coverage: { type: 'boolean' },
    'hang-minutes': { type: 'string' },
  },
});
if (values.only && ![...projects, 'check'].includes(values.only)) {
  process.stderr.write(`fleet: --only takes one of ${projects.join(', ')}, check; ${values.only} is none of them\n`);
  process.exit(2);
}
const hangAfterMs = Number(values['hang-minutes'] ?? (values.full ? hangMinutes.full : hangMinutes.usual)) * minute;
if (!(hangAfterMs > 0)) {
  process.stderr.write(`fleet: --hang-minutes takes a number above 0; ${values['hang-minutes']} is none\n`);
  process.exit(2);
}

const started = performance.now();
const total = { passed: 0, failures: [], leftForFull: 0, skipped: [], elsewhere: [], seeds: [] };
const focused = values.only !== undefined || positionals.length > 0;
const place = mkdtempSync(join(tmpdir(), 'fleet-test-'));
const mark = randomBytes(8).toString('hex');
try {
  await everything();
} catch (error) {
  total.failures.push(`the test command itself broke: ${error.stack}`);
}
cleanUp();
report();

async function everything() {
  await setUp();
  await build();
  if (!focused || values.only === 'check') count(await runChecks());
  if (values.only === 'check') return;
  const ran = await vitest();
  total.passed += ran.passed;
  total.failures.push(...ran.failures);
  Object.assign(total, { leftForFull: ran.leftForFull, skipped: ran.skipped, seeds: ran.seeds });
  if (!focused && ran.passed === 0) total.failures.push('no test ran');
  if (!focused) await requirements();
  await leaks();
}

function count(checks) {
  total.passed += checks.filter(({ ok }) => ok).length;
  total.failures.push(...checks.filter(({ ok }) => !ok).map(({ name }) => `check: ${name}`));
}

/** In a process of its own: the bundler's helper must not outlive it. What needs no build is tested all the same. */
async function build() {
  const { code, output } = await run(process.execPath, [join(root, 'tools', 'build.mjs'), '--if-stale'], { cwd: root });
  process.stdout.write(output);
  if (code === 0) total.passed += 1;
  else total.failures.push('build');
}

async function vitest() {
  const reportFile = join(place, 'report.json');
  const reporters = ['default', 'json', join(root, 'tools', 'running-tests.mjs')].map((name) => `--reporter=${name}`);
  const args = ['run', ...reporters, `--outputFile.json=${reportFile}`, '--passWithNoTests'];
  if (values.only) args.push(`--project=${values.only}`);
  if (values.coverage) args.push('--coverage');
  const code = await supervised([join(root, 'node_modules', 'vitest', 'vitest.mjs'), ...args, ...positionals]);
  return tally(reportFile, code);
}

/** What is promised and not open was proved by a test that ran. */
async function requirements() {
  const flags = values.full ? ['--full'] : [];
  const args = ['--import', 'tsx', join(root, 'tools', 'proved.ts'), join(place, 'report.json'), ...flags];
  const { code, output } = await run(process.execPath, args, { cwd: root });
  if (code !== 0) return void total.failures.push(`the requirements could not be read: ${output.trim()}`);
  const { wrong, elsewhere } = JSON.parse(output);
  total.failures.push(...wrong);
  if (wrong.length === 0) total.passed += 1;
  total.elsewhere = elsewhere;
}

/** Vitest with an environment of its own, ended when it hangs. */
function supervised(args) {
  const runningFile = join(place, 'running');
  writeFileSync(runningFile, '');
  const env = { ...environment(), FLEET_TEST_RUNNING: runningFile };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
  const guard = hangGuard(runningFile, hangAfterMs, (running) => {
    const names = running.length > 0 ? running : ['no test: vitest itself'];
    const hung = `no test began or ended for ${hangAfterMs / minute} minutes; running:`;
    total.failures.push([hung, ...names.map((name) => `    ${name}`)].join('\n'));
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), 5_000).unref();
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.on('error', () => resolve(127));
    child.on('exit', (code) => {
      guard.stop();
      resolve(code ?? 1);
    });
  });
}

/** Nothing of the user's is read or touched: own home, own temporary directory, no settings of Fleet or git from outside. */
function environment() {
  const [home, fleetHome, temporary] = ['home', 'fleet', 'tmp'].map((name) => join(place, name));
  for (const directory of [home, fleetHome]) mkdirSync(directory, { mode: 0o700 });
  mkdirSync(temporary);
  // Some tests start programs as another user, who must be able to reach what the test shows them.
  for (const directory of [place, temporary]) chmodSync(directory, 0o755);
  const inherited = Object.entries(process.env).filter(([name]) => !/^(FLEET_|XDG_|GIT_|PORT$|STORAGE_BACKEND$)/.test(name));
  return {
    ...Object.fromEntries(inherited),
    HOME: home,
    FLEET_HOME: fleetHome,
    TMPDIR: temporary,
    GIT_CONFIG_NOSYSTEM: '1',
    TZ: 'UTC',
    ...(process.stdout.isTTY || process.env.FORCE_COLOR ? {} : { NO_COLOR: '1' }),
    [marker]: mark,
    ...(values.full ? { FLEET_TEST_FULL: '1' } : {}),
  };
}

async function leaks() {
  const found = await census(marker, mark);
  if (!found) return void process.stdout.write('left behind: not looked for (needs /proc)\n');
  for (const { pid, command } of found) total.failures.push(`a process was left behind and has been ended: ${pid} ${command}`);
  if (found.length === 0) total.passed += 1;
  end(found);
}

/** What cannot be removed was left busy by a test: a mount, or a file somebody still writes. */
function cleanUp() {
  try {
    rmSync(place, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    total.failures.push(`something was left behind in ${place}: ${error.message}`);
  }
}

function report() {
  const lines = [''];
  if (total.skipped.length > 0) lines.push(`skipped (${total.skipped.length}):`, ...total.skipped.map((name) => `  ${name}`));
  if (total.elsewhere.length > 0) lines.push(`not proved on this machine: ${total.elsewhere.join(' ')}`);
  if (total.failures.length > 0) lines.push('failed:', ...total.failures.map((name) => `  ${name}`));
  if (total.seeds.length > 0) lines.push('seeds:', ...new Set(total.seeds.map((seed) => `  ${seed}`)));
  const took = `${((performance.now() - started) / 1000).toFixed(0)} s`;
  const usual = focused
    ? ''
    : ` (about ${60 * (values.full ? expectedMinutes.full : expectedMinutes.usual)} s on two quiet cores)`;
  lines.push(`${total.leftForFull} left for npm run test:full, ${took}${usual}`);
  lines.push(`${total.passed} passed, ${total.failures.length} failed`);
  process.stdout.write(`${lines.join('\n')}\n`);
  process.exitCode = total.failures.length === 0 ? 0 : 1;
}
