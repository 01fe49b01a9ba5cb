import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generateDocs } from '../docs.ts';
import { planted } from '../planted.ts';
import { findBans } from './bans.ts';
import { checkDecisions } from './decisions.ts';
import { checkDocs } from './docs.ts';
import { checkGitCalls, gitCallsIn, gitNamers } from './git-calls.ts';
import { checkLicences } from './licences.ts';
import { checkLockFile } from './lock-file.ts';
import { checkReadmes } from './readmes.ts';
import { checkSizes } from './sizes.ts';
import { checkTests } from './tests.ts';
import { checkText } from './text.ts';

const root = dirname(dirname(import.meta.dirname));

describe('sizes', () => {
  const lines = (count: number): string => 'export {};\n'.repeat(count);

  it('finds a file over the limit', async () => {
    using place = planted({ 'src/a/long.ts': lines(301), 'src/a/fits.ts': lines(300) });
    const { violations } = await checkSizes(place.path, []);
    expect(violations).toEqual([expect.stringContaining('src/a/long.ts has 301 lines')]);
  });

  it('lets an exemption pass, until it is not needed', async () => {
    using place = planted({ 'src/a/long.ts': lines(301), 'src/a/fits.ts': lines(3) });
    const exempt = (path: string) => [{ path, reason: 'a table' }];
    expect((await checkSizes(place.path, exempt('src/a/long.ts'))).violations).toEqual([]);
    expect((await checkSizes(place.path, [...exempt('src/a/long.ts'), ...exempt('src/a/fits.ts')])).violations).toHaveLength(1);
  });
});

describe('git calls', () => {
  it.each([
    "spawn('git', ['status']);",
    "execFileSync(`git`, ['status']);",
    "child_process.spawnSync('/usr/bin/git', args);",
    "await promisify(execFile)('git', ['gc']);",
    "spawn('/bin/sh', ['-c', 'exec \"$@\"', 'x', 'git', 'gc']);",
    "const program = 'git'; spawn(program, args);",
    "const env = { GIT_DIR: '/x' };",
    "const env = { 'GIT_CONFIG_GLOBAL': '/dev/null' };",
    "env['GIT_INDEX_FILE'] = index;",
    "import { spawnGit } from './git/spawn-git.ts';",
  ])('finds another way to start git, or to make its environment: %s', async (source) => {
    using place = planted({ 'src/app/x.ts': source, 'src/app/x.test.ts': source, 'src/workspace/git/x.ts': source });
    const { violations } = await checkGitCalls(place.path);
    expect(violations.filter((line) => line.includes('git is run by'))).toEqual([expect.stringMatching(/^src\/app\/x\.ts /)]);
  });

  it('lets pass the word, the directory, and other programs', () => {
    const source = "join(home, 'git'); const ask = { system: 'git' }; spawn('gitk', []); add('git'); const GIT_FILES = ['.git'];";
    expect(gitCallsIn('src/app/x.ts', source)).toEqual([]);
  });

  it('finds an entry that nobody needs', async () => {
    const [{ path } = { path: '' }] = gitNamers;
    using place = planted({ [path]: 'export {};' });
    expect((await checkGitCalls(place.path)).violations).toContainEqual(expect.stringContaining(`${path} is listed`));
  });
});

describe('bans', () => {
  const banned = (path: string, source: string): string[] => findBans(path, source).map(({ what }) => what);

  it.each([
    ['process.env', 'const home = process.env.HOME;'],
    ['process.env', "import { env } from 'node:process';"],
    ['Date', 'const now = Date.now();'],
    ['Date', 'const now = new Date();'],
    ['Date', 'const make = globalThis.Date;'],
    ['Math.random', 'const id = Math.random();'],
    ['console', "console.log('x');"],
  ])('finds %s in a room that may not have it', (what, source) => {
    expect(banned('src/engine/x.ts', source)).toEqual([what]);
    expect(banned('src/platform/x.ts', source)).toEqual([]);
    expect(banned('src/surfaces/cli/x.ts', source)).toEqual([]);
    expect(banned('src/engine/x.test.ts', source)).toEqual([]);
  });

  it.each([
    "import { exec } from 'node:child_process';",
    "import { execSync as run } from 'child_process';",
    "import * as childProcess from 'node:child_process';\nchildProcess.exec('x');",
    "spawn('x', [], { shell: true });",
    "spawn('x', [], { shell: '/bin/sh' });",
  ])('finds a way to a shell anywhere: %s', (source) => {
    expect(banned('src/app/x.ts', source)).toHaveLength(1);
    expect(banned('tools/x.mjs', source)).toHaveLength(1);
  });

  it.each([
    'const at = new Date(ms).toISOString();',
    'const ms = Date.parse(text);',
    'const match = /x/.exec(text);',
    "db.exec('select 1');",
    'type When = Date;',
    "const view = { Date: 'today' };",
    "spawn('x', [], { shell: false });",
  ])('lets be what is pure or only looks alike: %s', (source) => expect(banned('src/engine/x.ts', source)).toEqual([]));
});

describe('readmes', () => {
  it('finds a room without one, one too long, and a room outside the table', async () => {
    using place = planted({ 'src/domain/x.ts': '', 'src/store/README.md': 'x\n'.repeat(16), 'src/attic/README.md': 'x' });
    expect((await checkReadmes(place.path)).violations).toEqual([
      'src/attic is not a room of tools/rooms.ts',
      'src/domain has no README.md',
      'src/store/README.md has 16 lines, at most 15 are read',
    ]);
  });
});

describe('text', () => {
  it.each([
    ['a path of one machine', `see ${'/ro'}${'ot/notes.md'}`],
    ['a path of one machine', `see ${'/home'}/anna/notes.md`],
    ['the address of a package registry', `from https://${'regis'}${'try.example.org'}/x`],
    ['a resolved address', `{ "resol${'ved'}": "x" }`],
  ])('finds %s', async (words, text) => {
    using place = planted({ 'notes.md': `first line\n${text}\n` });
    expect((await checkText(place.path, [])).violations).toEqual([expect.stringContaining(`notes.md:2 holds ${words}`)]);
  });
});

describe('tests', () => {
  const found = async (files: Readonly<Record<string, string>>) => {
    using place = planted(files);
    return (await checkTests(place.path)).violations;
  };

  it.each([
    "it('x', () => {});",
    "it('x', async () => { await run(); });",
    "it('x', () => { expect(1); });",
    "it('x', () => { run(() => { throw new Error('no'); }); });",
    "it.each([1, 2])('x %d', () => { console.log(1); });",
    "it.skipIf(false)('x', body);\nfunction body() {}",
    "fullOnly('x', () => helper());\nconst helper = () => 1;",
  ])('finds one that cannot fail: %s', async (source) =>
    expect(await found({ 'src/a/x.test.ts': `\n${source}\n` })).toEqual([
      expect.stringMatching(/^src\/a\/x\.test\.ts:2 asserts nothing: 'x/),
    ]),
  );

  it.each([
    "it('x', () => expect(1).toBe(1));",
    "it('x', async () => { await expect.poll(() => 1).toBe(1); });",
    "it('x', () => { for (const one of rows) helper(one); });\nfunction helper(one) { expect(one).toBe(1); }",
    "it('x', () => rows.forEach(helper));\nconst helper = (one) => expect(one).toBe(1);",
    "it('x', body);\nfunction body() { fc.assert(fc.property(fc.nat(), (n) => n >= 0)); }",
    "it.skip('not yet', () => {});",
    "import { helped } from './fixtures/help.ts';\nit('x', () => helped());",
  ])('lets be what asserts, itself or by a function of the tests: %s', async (source) =>
    expect(await found({ 'src/a/x.test.ts': source, 'src/a/fixtures/help.ts': HELP })).toEqual([]),
  );

  const HELP = 'export const helped = () => deeper();\nfunction deeper() { expect(1).toBe(1); }\n';

  it('believes no function of the product', async () => {
    const source = "import { helped } from './help.ts';\nit('x', () => helped());";
    expect(await found({ 'src/a/x.test.ts': source, 'src/a/help.ts': HELP })).toHaveLength(1);
  });

  it('finds a time limit of its own', async () => {
    const limited = ["it('x', () => expect(1).toBe(1), 5_000);", "it('x', { timeout: LONG }, () => expect(1).toBe(1));"];
    for (const source of limited)
      expect(await found({ 'src/a/x.test.ts': source })).toEqual([expect.stringContaining('sets a time limit of its own')]);
  });
});

describe('lock file', () => {
  const entry = { version: '1.0.0', integrity: 'sha512-x' };

  it('finds an optional package that npm ci would miss', async () => {
    const packages = { '': {}, 'node_modules/a': { ...entry, optionalDependencies: { 'a-darwin-arm64': '1.0.0' } } };
    using place = planted({ 'package-lock.json': JSON.stringify({ packages }) });
    expect((await checkLockFile(place.path)).violations).toEqual([expect.stringContaining('a-darwin-arm64')]);
  });

  it('finds a run-time package that needs an install script', async () => {
    const packages = {
      '': {},
      'node_modules/a': { ...entry, hasInstallScript: true },
      'node_modules/b': { ...entry, hasInstallScript: true, dev: true },
    };
    using place = planted({ 'package-lock.json': JSON.stringify({ packages }) });
    expect((await checkLockFile(place.path)).violations).toEqual([expect.stringContaining('node_modules/a ')]);
  });
});

describe('licences', () => {
  it('finds a package whose licence is not on the list, and is stricter with what users install', async () => {
    const packages = {
      '': {},
      'node_modules/a': { license: 'MIT' },
      'node_modules/b': { license: 'GPL-3.0-only' },
      'node_modules/c': { license: 'MPL-2.0' },
      'node_modules/d': {},
      'node_modules/e': { license: 'MPL-2.0', dev: true },
      'node_modules/f': { license: 'AGPL-3.0', dev: true },
      'node_modules/g-linux-x64': { dev: true, optional: true },
    };
    using place = planted({ 'package-lock.json': JSON.stringify({ packages }) });
    const { violations } = await checkLicences(place.path);
    expect(violations.map((text) => /node_modules\/(.)/.exec(text)?.[1])).toEqual(['b', 'c', 'd', 'f']);
  });
});

describe('docs', () => {
  it('finds a reference that is stale, missing or made from nothing', async () => {
    using place = planted({});
    for (const page of ['ARCHITECTURE.md', 'SECURITY.md']) cpSync(join(root, page), join(place.path, page));
    mkdirSync(join(place.path, 'docs', 'reference'), { recursive: true });
    // Pages of which a part is made.
    cpSync(join(root, 'docs', 'guide'), join(place.path, 'docs', 'guide'), { recursive: true });
    const fresh = await generateDocs(place.path);
    for (const [path, text] of fresh) writeFileSync(join(place.path, path), text);
    expect((await checkDocs(place.path)).violations).toEqual([]);

    writeFileSync(join(place.path, 'docs/reference/limits.md'), `${fresh.get('docs/reference/limits.md')}one more line\n`);
    writeFileSync(join(place.path, 'docs/reference/attic.md'), 'x');
    expect((await checkDocs(place.path)).violations).toEqual([
      expect.stringContaining('docs/reference/limits.md is not what the code says'),
      expect.stringContaining('docs/reference/attic.md is made from nothing'),
    ]);
  });
});

describe('decisions', () => {
  const page = '## What forced it\n## What we chose\n| `a` | x |\n## What we gave up\n## When to revisit\n';

  it('finds a page that is long, misnamed or incomplete, a number used twice, and a package nobody explains', async () => {
    using place = planted({
      'package.json': '{ "dependencies": { "a": "1", "b": "1" } }',
      'docs/decisions/0001-good.md': page,
      'docs/decisions/0001-long.md': page + 'x\n'.repeat(40),
      'docs/decisions/Title.md': page.replace('## What we gave up\n', ''),
    });
    expect((await checkDecisions(place.path)).violations).toEqual([
      'docs/decisions/0001-long.md has 45 lines, at most 40 are read',
      'docs/decisions/Title.md is not called NNNN-title.md',
      'docs/decisions/Title.md lacks "## What we gave up"',
      'two decisions have the number 0001',
      'no decision says why the package b is here',
    ]);
  });
});
