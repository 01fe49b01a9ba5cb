/**
 * Makes a checkout ready: the right Node, and the packages of package-lock.json in node_modules.
 * Does nothing, in a few milliseconds, when that is already so. Everything it says goes to stderr.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './paths.mjs';

const oldestNode = [20, 19];
const stamp = join(root, 'node_modules', '.fleet-setup');
/** There while packages are being installed: what a stopped npm left in node_modules may look complete, and is not. */
const unfinished = join(root, '.cache', 'setup-unfinished');

export async function setUp() {
  requireNode();
  if (isSetUp()) return;
  const { withLock } = await import('./lock.mjs');
  await withLock(
    join(root, '.cache', 'setup-lock'),
    async () => {
      if (!isSetUp()) await install();
    },
    () => say('waiting for another set-up of this checkout'),
  );
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return;
  fail(
    `Fleet needs Node ${oldestNode.join('.')} or newer, this is ${process.versions.node}. Install a newer Node and run the command again.`,
  );
}

function isSetUp() {
  if (existsSync(unfinished)) return false;
  const wanted = wantedStamp();
  if (read(stamp) === wanted) return true;
  if (!installedByHand()) return false;
  writeFileSync(stamp, wanted);
  return true;
}

/** The lock file's hash, and the platform: packages with binaries differ between machines that share a directory. */
function wantedStamp() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform}-${process.arch}\n`;
}

/** True when somebody ran npm themselves: its own record of what it installed agrees with the lock file. */
function installedByHand() {
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  const locked = packagesOf(join(root, 'package-lock.json'));
  if (!installed || !locked) return false;
  const wanted = Object.entries(locked).filter(([path, entry]) => path !== '' && (installed[path] || !entry.optional));
  return wanted.every(([path, entry]) => {
    const found = installed[path];
    return found?.version === entry.version && found.integrity === entry.integrity && existsSync(join(root, path));
  });
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

async function install() {
  say('installing packages (npm ci), once');
  const started = performance.now();
  mkdirSync(dirname(unfinished), { recursive: true });
  writeFileSync(unfinished, '');
  const npm = await npmCi();
  if (npm.stoppedBy) {
    say('stopped while packages were being installed: run the command again, and it begins anew');
    process.exit(128 + constants.signals[npm.stoppedBy]);
  }
  if (npm.error)
    fail(`npm could not be started (${npm.error.message}). npm comes with Node: put it on the PATH and run the command again.`);
  if (npm.status !== 0) {
    process.stderr.write(npm.said);
    fail(
      'npm ci failed, see above. Check the connection to the package registry and the free disk space, then run the command again; ' +
        'if the lock file itself is at fault, `npm install` makes a new one.',
    );
  }
  writeFileSync(stamp, wantedStamp());
  rmSync(unfinished, { force: true });
  say(`packages installed in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

const stoppingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const mostSaid = 1024 * 1024;

/** In a process group of its own: whoever stops us stops npm and everything it has started, and nothing goes on unseen. */
function npmCi() {
  return new Promise((resolve) => {
    const npm = spawn('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let said = '';
    let stoppedBy;
    for (const stream of [npm.stdout, npm.stderr])
      stream.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-mostSaid)));
    const stop = (signal) => {
      stoppedBy ??= signal;
      endGroup(npm.pid, 'SIGTERM');
      setTimeout(endGroup, graceMs, npm.pid, 'SIGKILL').unref();
    };
    for (const signal of stoppingSignals) process.on(signal, stop);
    const over = (ending) => {
      for (const signal of stoppingSignals) process.removeListener(signal, stop);
      if (stoppedBy) endGroup(npm.pid, 'SIGKILL');
      resolve({ said, stoppedBy, ...ending });
    };
    npm.once('error', (error) => over({ error }));
    npm.once('exit', (status) => over({ status }));
  });
}

const graceMs = 3_000;

function endGroup(pid, signal) {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // All of it has ended already.
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function say(line) {
  process.stderr.write(`fleet: ${line}\n`);
}

function fail(line) {
  say(line);
  process.exit(1);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await setUp();
