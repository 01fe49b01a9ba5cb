import { lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MASKED, type MaskedName } from '../../src/domain/work/guarded-paths.ts';
import type { FaultHouse } from '../fixtures/fault-house.ts';
import { boxed, boxHouse } from '../support/box-house.ts';

let house: FaultHouse;
let repo: string;

beforeAll(async () => {
  house = await boxHouse();
  repo = await house.repository('shop');
  await house.ok(['project', 'add', repo, '--name', 'shop', '--integration', 'auto']);
  await house.up([], false);
});
afterAll(async () => house[Symbol.asyncDispose]());

/** What each agent leaves, and the name it must be held up for. */
const PLANTED: readonly (readonly [script: string, name: string])[] = [
  ['mkdir elsewhere; echo "{}" > elsewhere/settings.json; ln -s elsewhere .claude', '.claude'],
  ['mkdir scripts; echo id > scripts/pre-commit; ln -s scripts .husky', '.husky'],
  ['echo "{}" > .mcp.json', '.mcp.json'],
  ['echo id > .envrc', '.envrc'],
  ['mkdir .cursor; echo "{}" > .cursor/mcp.json', '.cursor/mcp.json'],
  ['mkdir -p sub/.github/workflows; echo "on: push" > sub/.github/workflows/evil.yml', 'sub/.github/workflows/evil.yml'],
  ['mkdir -p a/.Claude; echo "{}" > a/.Claude/settings.json', 'a/.Claude/settings.json'],
  ['echo id > .claude', '.claude'],
  ['mkdir -p deep/.helix; echo id > deep/.helix/languages.toml', 'deep/.helix/languages.toml'],
  ['mkdir -p pkg; echo "script-shell=./evil" > pkg/.npmrc', 'pkg/.npmrc'],
  ['mkdir -p pkg; echo "yarnPath: ./evil" > pkg/.yarnrc.yml', 'pkg/.yarnrc.yml'],
  ['mkdir -p a/b; ln -s ../../README a/b/.DEVCONTAINER', 'a/b/.DEVCONTAINER'],
  ['mkdir .vscode; echo "{}" > .vscode/tasks.json', '.vscode/tasks.json'],
  ['echo "* filter=evil" > .gitattributes', '.gitattributes'],
];

const inShop = async (script: string): Promise<string> =>
  (await house.ok(['task', 'create', '--project', 'shop', '--prompt', `${script}\nexit 0`, '--json'])).json<{ id: string }>().id;

describe('an agent whose work lands by itself', () => {
  it('lands no settings that the programs of others obey, as file, directory or link, at any depth [T31] [T12]', async () => {
    const ids = await Promise.all(PLANTED.map(([script]) => inShop(script)));
    const honest = await inShop('mkdir docs; echo fine > docs/claude.md; ln -s README latest');
    await house.settled([...ids, honest]);
    const stand = await Promise.all(ids.map((id) => house.task(id)));
    expect(stand.map(({ phase }) => phase)).toEqual(
      PLANTED.map(([, name]) =>
        expect.objectContaining({
          block: expect.objectContaining({ cause: 'review', what: expect.stringContaining(`it changes ${name}`) }),
        }),
      ),
    );
    expect(await house.task(honest)).toMatchObject({ phase: { state: 'done' } });
    const landed = (await house.git(repo, 'ls-tree', '-r', '--name-only', 'main')).out.trim().split('\n');
    expect(landed).toEqual(['README', 'docs/claude.md', 'latest']);
  });
});

describe('an agent in a sandbox that works in a directory of the user', () => {
  boxed(
    'leaves none of the settings there that programs obey when they open it, new or changed [T31] [T12] [RUN-16]',
    async () => {
      const [there, absent] = [MASKED.filter((_, n) => n % 2 === 0), MASKED.filter((_, n) => n % 2 === 1)];
      const fileOf = ({ name, of }: MaskedName): string => join(house.work, of === 'file' ? name : join(name, 'settings'));
      for (const one of there) {
        await mkdir(join(fileOf(one), '..'), { recursive: true });
        await writeFile(fileOf(one), 'mine');
      }
      const plant = MASKED.flatMap(({ name }) => [
        `echo evil > ${name}; echo evil > ${name}/settings; rm -rf ${name}; mv ${name} aside; ln -s other ${name}; mkdir ${name}; echo evil > ${name}`,
      ]);
      const id = await house.create(`{ ${plant.join('\n')}\n} 2> /dev/null; echo tried\nexit 0`, '--sandbox');
      await house.settled([id]);
      expect(await house.said(id)).toContain('tried');
      expect(await Promise.all(there.map((one) => readFile(fileOf(one), 'utf8')))).toEqual(there.map(() => 'mine'));
      const left = await Promise.all(
        absent.map(({ name }) =>
          lstat(join(house.work, name)).then(
            () => name,
            () => undefined,
          ),
        ),
      );
      expect(left.filter((name) => name !== undefined)).toEqual([]);
      for (const { name } of there) await rm(join(house.work, name), { recursive: true });
    },
  );
});
