import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from './finding.ts';

interface Locked {
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** `npm ci` accepts the lock file on every platform, and nothing a user installs runs a script. */
export const checkLockFile: Check = async (root) => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, Locked>>;
  };
  const entries = Object.entries(packages).filter(([path]) => path !== '');
  return {
    violations: [
      ...entries.flatMap(([path, { optionalDependencies = {} }]) =>
        Object.keys(optionalDependencies)
          .filter((name) => !entries.some(([other]) => other.endsWith(`node_modules/${name}`)))
          .map((name) => `${path} may ask for ${name}, which has no entry: run \`node tools/complete-lock.mjs\``),
      ),
      ...entries.filter(([, { integrity, optional }]) => !integrity && !optional).map(([path]) => `${path} has no integrity`),
      ...entries
        .filter(([, { hasInstallScript, dev }]) => hasInstallScript && !dev)
        .map(([path]) => `${path} needs an install script, which npm may refuse to run`),
    ],
    notes: [`${entries.length} packages`],
  };
};
