/**
 * Makes a checkout ready: the right Node, and the packages of package-lock.json in node_modules.
 * Does nothing, in a few milliseconds, when that is already so. Everything it says goes to stderr.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './paths.mjs';

const oldestNode = [20, 19];
const stamp = join(root, 'node_modules', '.fleet-setup');

export async function setUp() {
  requireNode();
  if (isSetUp()) return;
  const { withLock } = await import('./lock.mjs');
  await withLock(
    join(root, '.cache', 'setup-lock'),
    () => {
      if (!isSetUp()) install();
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

function install() {
  say('installing packages (npm ci), once');
  const started = performance.now();
  const npm = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (npm.error)
    fail(`npm could not be started (${npm.error.message}). npm comes with Node: put it on the PATH and run the command again.`);
  if (npm.status !== 0) {
    process.stderr.write(`${npm.stdout}${npm.stderr}`);
    fail(
      'npm ci failed, see above. Check the connection to the package registry and the free disk space, then run the command again; ' +
        'if the lock file itself is at fault, `npm install` makes a new one.',
    );
  }
  writeFileSync(stamp, wantedStamp());
  say(`packages installed in ${((performance.now() - started) / 1000).toFixed(1)} s`);
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
