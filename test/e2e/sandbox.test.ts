import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { root } from '../../tools/paths.mjs';
import { isThere } from '../fixtures/fault-house.ts';
import { boxed, boxedLong, boxHouse, exporting, inShop, surroundings } from '../support/box-house.ts';

const HARMLESS = [
  'read a key in the home',
  'read a file beside the workspace',
  'read the token of the admin',
  'speak to the engine by its own socket',
  'see the engine',
  'ask the server of terminals',
  'reach a port of the machine',
];

/** The preparation, and the attempts that do no harm. */
const harmless = (script: string): string =>
  script
    .split('\n')
    .filter((line) => !line.startsWith('try ') || HARMLESS.some((name) => line.startsWith(`try '${name}'`)))
    .join('\n')
    .split('# Written where nobody')[0] ?? '';

/** What git obeys in the git directory of a person. */
const gitFilesOf = async (common: string) =>
  Promise.all(
    ['config', 'HEAD', 'index', 'hooks', 'info', 'commondir', 'config.worktree', 'modules'].map(async (name) => {
      const path = join(common, name);
      const listed = await readdir(path).catch(() => undefined);
      return [name, listed ?? (await readFile(path, 'utf8').catch(() => 'absent'))] as const;
    }),
  );

describe('an agent in a sandbox', () => {
  boxed('gets out by none of the ways a hostile one tries [RUN-16] [T11] [T12] [T13] [T17]', async () => {
    await using house = await boxHouse(['sandbox_read=~/.config/tool/conf']);
    const around = await surroundings(house);
    try {
      await house.ok(['project', 'set', 'shop', '--verify', 'grep shown ~/.config/tool/conf']);
      const engine = await house.up();
      // Another task, whose notes and output it might look for.
      await house.settled([await house.create('exit 0')]);
      const hostile = await readFile(join(root, 'test', 'fixtures', 'hostile.sh'), 'utf8');
      const before = (await readdir('/etc')).length;
      const theirs = await gitFilesOf(around.variables.COMMON_GIT);
      const variables = exporting({ ...around.variables, ENGINE: String(engine.pid) });
      // Outside of a sandbox the harmless ones of them work: what is tried can be had.
      const free = await house.create(`${variables}${harmless(hostile)}\nexit 0`);
      await house.settled([free]);
      expect((await house.said(free)).trim().split('\n')).toEqual(HARMLESS.map((name) => `escaped ${name}`));
      const sung = around.canary.seen();
      expect(sung).toBe(1);
      const id = await inShop(house, variables + hostile);
      await house.settled([id], 90_000);
      const said = (await house.said(id)).split('\n');
      expect(said.filter((line) => line.startsWith('escaped'))).toEqual([]);
      expect(said).toEqual(expect.arrayContaining(['worked here', 'has a home']));
      expect(Number(/^tried (\d+)$/m.exec(said.join('\n'))?.[1])).toBeGreaterThan(40);
      expect(await house.outcomes(id)).toEqual(['succeeded', 'succeeded']);
      expect(around.canary.seen()).toBe(sung);
      expect(isThere(engine.pid)).toBe(true);
      const places = [join(house.home, 'workspaces', 'shop'), '/tmp', around.variables.REAL_HOME, around.beside];
      expect(places.filter((place) => existsSync(join(place, 'hostile')) || existsSync(join(place, 'typed')))).toEqual([]);
      // Its person's own git is as it was, and finds everything.
      expect(await gitFilesOf(around.variables.COMMON_GIT)).toEqual(theirs);
      expect((await house.git(around.repo, 'fsck', '--full', '--strict')).code).toBe(0);
      expect((await house.git(around.repo, 'status', '--porcelain')).out).toBe('');
      // Of everything it left for Fleet to read, nothing leads anywhere.
      const shown = await Promise.all(
        [
          ['task', 'show', id],
          ['task', 'report', id],
          ['task', 'events', id],
          ['question', 'list'],
          ['task', 'diff', id],
        ].map(async (words) => (await house.fleet([...words, '--json'])).out),
      );
      expect(shown.join('')).not.toContain('canary of the home');
      // It cannot lead whatever is mounted in its own home next out of there.
      expect(await house.task(id)).toMatchObject({ phase: { state: 'done' }, gate: { green: true } });
      expect((await readdir('/etc')).length).toBe(before);
    } finally {
      await around.end();
    }
  });

  boxedLong('finds and leaves nothing in its workspace that is not its own [RUN-16] [T12]', async () => {
    await using house = await boxHouse();
    const around = await surroundings(house);
    try {
      await house.up();
      const script =
        'ls -A > seen.txt; git status --short > status.txt; git add -A; git commit -qm "all of it"; git show --stat HEAD > made.txt; exit 0';
      const id = await inShop(house, script, '--integration', 'review');
      await house.settled([id]);
      const { work } = (await house.ok(['task', 'show', id, '--json'])).json<{ work: { tip: string } }>();
      const names = (await house.git(around.repo, 'ls-tree', '-r', '--name-only', work.tip)).out.trim().split('\n').toSorted();
      expect(names).toEqual(['README', 'made.txt', 'seen.txt', 'status.txt']);
      expect((await house.git(around.repo, 'show', `${work.tip}:status.txt`)).out).not.toMatch(/claude|mcp|codex/);
      const trees = readdirSync(join(house.home, 'workspaces', 'shop'));
      for (const tree of trees) {
        const left = (await readdir(join(house.home, 'workspaces', 'shop', tree))).filter((name) =>
          /claude|mcp|opencode|vscode/.test(name),
        );
        expect(left).toEqual([]);
      }
    } finally {
      await around.end();
    }
  });

  boxed('changes settings of agents in its own tree, which land only with a person [RUN-16] [T12]', async () => {
    await using house = await boxHouse();
    const around = await surroundings(house);
    try {
      await mkdir(join(around.repo, '.claude'));
      await writeFile(join(around.repo, '.claude', 'settings.json'), '{"hooks":{}}\n');
      await symlink('elsewhere', join(around.repo, '.codex'));
      await house.git(around.repo, 'add', '-A');
      await house.git(around.repo, 'commit', '-qm', 'settings');
      await house.up();
      const script =
        'cat .claude/settings.json; echo mine > .claude/settings.json; git commit -qam mine; git status --short; exit 0';
      const id = await inShop(house, script, '--integration', 'auto');
      await house.settled([id]);
      expect(await house.said(id)).toBe('{"hooks":{}}\n');
      expect(await house.task(id)).toMatchObject({
        phase: { state: 'blocked', block: { cause: 'review', what: expect.stringContaining('.claude/settings.json') } },
      });
    } finally {
      await around.end();
    }
  });

  boxed('is not started in a plain directory whose settings are a link, which cannot be masked [RUN-16] [T12]', async () => {
    await using house = await boxHouse();
    await symlink('elsewhere', join(house.work, '.claude'));
    await house.up();
    const id = await house.create('touch ran; exit 0', '--sandbox');
    await house.settled([id]);
    const [last] = await house.runs(id);
    expect(last?.phase).toMatchObject({ outcome: 'refused', detail: expect.stringContaining('.claude is a link') });
    expect(existsSync(join(house.work, 'ran'))).toBe(false);
  });
});
