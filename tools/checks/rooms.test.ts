import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { planted } from '../planted.ts';
import { checkRooms } from './rooms.ts';

/** A small house in order, and the violations planted into it. */
const house = {
  'package.json': '{ "type": "module" }',
  'src/domain/task.ts': 'export const task = 1;',
  'src/domain/run.ts': "export { task as run } from './task.ts';",
  'src/store/port.ts': "export { task as row } from '../domain/task.ts';",
  'src/store/memory/memory.ts': "export { row as memory } from '../port.ts';",
  'src/store/sqlite/sqlite.ts': "export { row as sqlite } from '../port.ts';",
  'src/app/main.ts': "export { memory } from '../store/memory/memory.ts';",
};

async function violationsOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  using place = planted(house);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.path, name)), { recursive: true });
    writeFileSync(join(place.path, name), text);
  }
  return (await checkRooms(place.path)).violations;
}

it('finds nothing in a house that is in order', async () => expect(await violationsOf({})).toEqual([]));

it.each([
  [
    'a room that uses one it may not',
    'src/domain/bad.ts',
    "export { row } from '../store/port.ts';",
    'domain may use no other room',
  ],
  [
    'a type taken from a forbidden room',
    'src/domain/bad.ts',
    "import type { row } from '../store/port.ts';\nexport type X = typeof row;",
    'domain may use',
  ],
  [
    'a driver that imports another',
    'src/store/sqlite/bad.ts',
    "export { memory } from '../memory/memory.ts';",
    'a member of store never imports another',
  ],
  [
    'a driver named outside app',
    'src/engine/bad.ts',
    "export { memory } from '../store/memory/memory.ts';",
    'only app names a member of store',
  ],
  [
    'a driver named by its own port',
    'src/store/open.ts',
    "export { memory } from './memory/memory.ts';",
    'only app names a member of store',
  ],
  [
    'an executor that imports another',
    'src/executors/a/a.ts',
    "export { b } from '../b/b.ts';",
    'a member of executors never imports another',
  ],
  ['an import of app', 'src/surfaces/cli/bad.ts', "export { memory } from '../../app/main.ts';", 'nobody imports app'],
  [
    'a package the domain may not have',
    'src/domain/bad.ts',
    "import { readFileSync } from 'node:fs';\nexport const read = readFileSync;",
    'domain may import zod',
  ],
  [
    'a product that imports its tests',
    'src/engine/bad.ts',
    "export { house } from '../../test/house.ts';",
    'never imports tests or tools',
  ],
  ['an import that leads nowhere', 'src/engine/bad.ts', "export { gone } from './gone.ts';", 'every import resolves'],
])('finds %s', async (_, path, text, words) => {
  const others = { 'src/executors/b/b.ts': 'export const b = 1;', 'test/house.ts': 'export const house = 1;' };
  expect((await violationsOf({ ...others, [path]: text })).join('\n')).toContain(words);
});

it('finds a cycle', async () => {
  const found = await violationsOf({
    'src/domain/a.ts': "import { b } from './b.ts';\nexport const a = () => b;",
    'src/domain/b.ts': "import { a } from './a.ts';\nexport const b = () => a;",
  });
  expect(found).toEqual(['no cycles: src/domain/a.ts -> src/domain/b.ts -> src/domain/a.ts']);
});

it('does not take an empty look for success', async () => {
  using place = planted({ 'package.json': '{}', 'src/readme.txt': 'no modules here' });
  expect((await checkRooms(place.path)).violations.join('\n')).toContain('did not look at the house');
});
