import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Exemption, machineText } from './exemptions.ts';
import { committedFiles } from './files.ts';
import type { Verdict } from './finding.ts';

/** Patterns are written so that this file does not match itself. */
const telltales: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  { what: 'a path of one machine', pattern: /(?<![\w.~-])\/(?:root|work|Users\/\w+|home\/(?!you\b|me\b|user\b)\w+)\/[\w.]/ },
  { what: 'the address of a package registry', pattern: /https?:\/\/[\w.-]*(?:registry|artifactory|nexus|verdaccio)[\w.-]*/i },
  { what: 'a resolved address in a lock file', pattern: /"resolved"\s*:/ },
];

const largestBytes = 4 * 1024 * 1024;

/** Nothing in the repository tells on whose machine it was made, or where its packages came from. */
export async function checkText(root: string, exempt: readonly Exemption[] = machineText): Promise<Verdict> {
  const violations = committedFiles(root)
    .filter((path) => !exempt.some((entry) => entry.path === path))
    .flatMap((path) => tellsIn(path, readFileSync(join(root, path))));
  return { violations };
}

function tellsIn(path: string, bytes: Buffer): string[] {
  if (bytes.length > largestBytes || bytes.includes(0)) return [];
  return bytes
    .toString('utf8')
    .split('\n')
    .flatMap((line, index) =>
      telltales.filter(({ pattern }) => pattern.test(line)).map(({ what }) => `${path}:${index + 1} holds ${what}`),
    )
    .slice(0, 5);
}
