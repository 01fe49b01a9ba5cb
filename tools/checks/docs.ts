import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateDocs } from '../docs.ts';
import { filesUnder } from './files.ts';
import type { Check } from './finding.ts';

/** The generated references and the generated part of ARCHITECTURE.md are what the code says today. */
export const checkDocs: Check = async (root) => {
  const wanted = await generateDocs(root);
  const stale = [...wanted]
    .filter(([path, text]) => !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text)
    .map(([path]) => path);
  const stray = filesUnder(root, 'docs/reference').filter((path) => !wanted.has(path));
  return {
    violations: [
      ...stale.map((path) => `${path} is not what the code says: run \`npm run docs\``),
      ...stray.map((path) => `${path} is made from nothing: remove it`),
    ],
  };
};
