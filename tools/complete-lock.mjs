/**
 * Completes package-lock.json after a package was added: `node tools/complete-lock.mjs`.
 *
 * npm leaves out the optional packages of other platforms when the registry it asked did not have them, and then
 * refuses its own lock file in `npm ci`, on every machine. Here each such package gets an entry with the exact version
 * its parent asks for and its platform, read from its name. Where it is installed, npm takes it from the registry in use.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

const file = join(root, 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));
const added = Object.fromEntries(Object.entries(lock.packages).flatMap(([, parent]) => missingOf(parent)));
const packages = Object.entries({ ...lock.packages, ...added }).sort(([a], [b]) => a.localeCompare(b, 'en'));
writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`);
process.stdout.write(`${Object.keys(added).length} entries added\n`);

function missingOf({ optionalDependencies = {}, dev }) {
  return Object.entries(optionalDependencies)
    .filter(([name]) => !lock.packages[`node_modules/${name}`])
    .map(([name, version]) => {
      if (!/^\d+\.\d+\.\d+/.test(version))
        throw new Error(`${name}@${version} is not one exact version: install it where the registry has it`);
      return [`node_modules/${name}`, { version, ...platformOf(name), ...(dev ? { dev: true } : {}), optional: true }];
    });
}

/** `@scope/binding-linux-arm64-musl` -> os linux, cpu arm64, libc musl. */
function platformOf(name) {
  const [, os, cpu, rest = ''] = /(android|darwin|freebsd|linux|openharmony|win32)-([a-z0-9]+)(.*)$/.exec(name) ?? [];
  if (!os) return { cpu: [/wasm32/.test(name) ? 'wasm32' : 'unknown'] };
  const libc = os === 'linux' ? { libc: [rest.includes('musl') ? 'musl' : 'glibc'] } : {};
  return { cpu: [cpu], ...libc, os: [os] };
}
