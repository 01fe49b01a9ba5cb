import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFENCES } from './defences.ts';
import { requirements } from './requirements.ts';
import { ATTACKS } from './threats.ts';

const root = join(import.meta.dirname, '..');
const textOf = (file: string): string => (existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '');

describe('the rows of the threat table', () => {
  it('name tests that are there', () => {
    const missing = ATTACKS.flatMap(({ id, tests }) =>
      tests.filter(({ file, title }) => !textOf(file).includes(title)).map(({ file, title }) => `${id}: ${file}: ${title}`),
    );
    expect(missing.join('\n'), 'the threat table names tests that do not exist').toBe('');
  });

  it('are one for each attack and one for each threat', () => {
    expect(ATTACKS.map(({ id }) => id)).toEqual(ATTACKS.map((_, n) => `F${n + 1}`));
    const threats = requirements.map(({ id }) => id).filter((id) => /^T\d+$/.test(id));
    expect(Object.keys(DEFENCES)).toEqual(threats);
  });
});
