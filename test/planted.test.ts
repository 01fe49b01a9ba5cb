import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PLANTED } from './planted.ts';

const root = join(import.meta.dirname, '..');
const textOf = (file: string): string => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '');

describe('what an agent can plant or do where Fleet looks afterwards', () => {
  for (const [part, cases] of Object.entries(PLANTED))
    it(`is tried by a test that is there, for each case of the ${part}`, () => {
      const missing = Object.entries(cases).flatMap(([name, proofs]) =>
        proofs.filter(({ file, title }) => !textOf(file).includes(title)).map(({ file, title }) => `${name}: ${file}: ${title}`),
      );
      expect(missing.join('\n')).toBe('');
      expect(Object.entries(cases).filter(([, proofs]) => proofs.length === 0)).toEqual([]);
    });
});
