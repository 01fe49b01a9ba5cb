import { describe, expect, it } from 'vitest';
import { planted } from '../planted.ts';
import { checkNames } from './names.ts';

describe('names', () => {
  it('finds a type that two files export, and no others', async () => {
    using place = planted({
      'src/a/x.ts': 'export interface Page { a: 1 }\nexport type Own = 1;\ninterface Hidden {}',
      'src/b/y.ts': 'export type Page = 2;\nexport class Other {}\ninterface Hidden {}',
      'src/b/z.ts': "export const Both = 1;\nexport type Both = 1;\nexport type { Own } from '../a/x.ts';",
      'src/b/y.test.ts': 'export type Own = 3;',
    });
    expect((await checkNames(place.path)).violations).toEqual([
      'the type Page is exported by src/a/x.ts and src/b/y.ts: say in each name whose it is',
    ]);
  });
});
