import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from './finding.ts';

/** Licences that let users do with Fleet what its own lets them. */
const forUsers = new Set(['MIT', 'Apache-2.0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD']);
/** Beside those, for what only builds and tests Fleet and is not shipped. */
const forBuilding = new Set([...forUsers, 'MPL-2.0', 'MIT OR Apache-2.0']);
const read: Readonly<Record<string, string>> = {
  'node_modules/@modelcontextprotocol/inspector-cli': 'its LICENSE file is Apache-2.0 for new work and MIT for older',
};

interface Locked {
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

/** Every package of the lock file has a licence from a list. */
export const checkLicences: Check = async (root) => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, Locked>>;
  };
  const entries = Object.entries(packages).filter(([path]) => path !== '');
  return {
    violations: [
      ...entries
        .filter(([path, entry]) => read[path] === undefined && !isAllowed(entry))
        .map(
          ([path, { license, dev }]) =>
            `${path} has the licence ${license ?? 'none'}, which is not on the list ${dev ? 'for building' : 'for users'}`,
        ),
      ...Object.keys(read)
        .filter((path) => packages[path] !== undefined && isAllowed(packages[path]))
        .map((path) => `${path} needs no entry of its own any more: remove it`),
    ],
  };
};

/** Programs of build tools for other platforms are locked without their licence; it is that of the tool. */
const isAllowed = ({ license, dev, optional }: Locked): boolean =>
  license === undefined ? dev === true && optional === true : (dev ? forBuilding : forUsers).has(license);
