import { expect, it } from 'vitest';
import { planted } from '../planted.ts';
import { checkReading, openingsIn } from './reading.ts';

it.each([
  "import { readFile } from 'node:fs/promises';",
  "import { readFileSync as read } from 'fs';",
  "import { createReadStream, mkdirSync } from 'node:fs';",
  "import { copyFile } from 'node:fs/promises';",
  "import { open } from 'node:fs/promises';",
  "import { promises } from 'node:fs';",
  "import * as fs from 'node:fs';",
  "import fs from 'node:fs';",
  "const { readFile } = await import('node:fs/promises');",
  "export { readFile } from 'node:fs/promises';",
  "export * from 'node:fs';",
  "const fs = require('node:fs');",
  "const fs = process.getBuiltinModule('fs');",
  'const fs = await import(`node:fs`);',
])('finds a way of its own to read a file: %s', async (source) => {
  using place = planted({ 'src/engine/notes.ts': source, 'src/engine/notes.test.ts': source });
  const { violations } = await checkReading(place.path);
  expect(violations.filter((line) => line.startsWith('src/engine/'))).toEqual([expect.stringContaining('platform/read-safely')]);
});

it('lets pass what makes, removes or looks, and types', () => {
  const source = "import { mkdir, rm, writeFile } from 'node:fs/promises';\nimport { type Stats, existsSync } from 'node:fs';";
  expect(openingsIn('src/engine/x.ts', source)).toEqual([]);
});

it.each([
  ["import { partsOf } from '../platform/agent-path.ts';", 'partsOf'],
  ["import { type AgentPath, pathForArguments as text } from '../platform/agent-path.ts';", 'pathForArguments'],
  ["export { pathForArguments } from '../platform/agent-path.ts';", 'pathForArguments'],
  ["import { placeAt } from '../platform/file-ops.ts';", 'placeAt'],
  ["import * as files from '../platform/file-ops.ts';", 'placeAt'],
  ["const { placeAt } = await import('../platform/file-ops.ts');", 'placeAt'],
])('finds a way back to the text of a path that an agent can write: %s', async (source, name) => {
  using place = planted({ 'src/engine/x.ts': source, 'src/engine/x.test.ts': source });
  const { violations } = await checkReading(place.path);
  expect(violations.filter((line) => line.startsWith('src/engine/'))).toEqual([
    expect.stringMatching(new RegExp(`^src/engine/x[.]ts uses ${name} of src/platform/`)),
  ]);
});

it.each(['stat', 'lstatSync', 'readdir', 'opendir', 'readlinkSync', 'existsSync', 'access', 'watch', 'realpath'])(
  'finds %s beside paths that an agent can write, and nowhere else',
  async (name) => {
    const look = `import { ${name} as look } from 'node:fs';`;
    using place = planted({
      'src/engine/x.ts': `import { below } from '../platform/agent-path.ts';\n${look}`,
      'src/engine/y.ts': `import { below } from './agent-path.ts';\n${look}`,
    });
    const { violations } = await checkReading(place.path);
    expect(violations.filter((line) => line.startsWith('src/engine/'))).toEqual([
      expect.stringContaining(`src/engine/x.ts handles paths that an agent can write and uses ${name} of node:fs`),
    ]);
  },
);

it('finds a module that may have a way back, or may look, and does neither', async () => {
  using place = planted({ 'src/app/prepare.ts': 'export {};', 'src/app/spools.ts': 'export {};' });
  const { violations } = await checkReading(place.path);
  for (const line of ['prepare.ts is listed in tools/checks/readers.ts and takes no path', 'spools.ts is listed'])
    expect(violations).toContainEqual(expect.stringContaining(line));
});

it('finds an entry that nobody needs', async () => {
  using place = planted({ 'src/app/accounts.ts': 'export {};' });
  expect((await checkReading(place.path)).violations).toContainEqual(
    expect.stringContaining('src/app/accounts.ts is listed in tools/checks/readers.ts and opens nothing'),
  );
});
