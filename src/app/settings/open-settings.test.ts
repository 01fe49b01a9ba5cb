import { mkdtemp, readFile, rename, rm, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SETTING_NAMES } from '../../domain/settings.ts';
import { Path, Title } from '../../domain/values.ts';
import { readAssignment } from './assignment.ts';
import { editSettings } from './edit-settings.ts';
import { type CurrentSettings, openSettings } from './open-settings.ts';
import { parseSettings } from './parse-settings.ts';

let home = '';
const file = () => join(home, 'runtime.toml');
const opened = (env: Record<string, string> = {}, flags = {}) => openSettings({ home, env, flags });
const origin = ({ items }: CurrentSettings, wanted: string) => items.find(({ name }) => name === wanted)?.origin;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'fleet-settings-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

describe('where a value comes from', () => {
  it('is the default without a file, for every setting', async () => {
    const { values, items, problem } = (await opened()).current();
    expect(items.map(({ name }) => name)).toEqual(SETTING_NAMES);
    expect(items.every((item) => item.origin === 'default')).toBe(true);
    expect(values).toMatchObject({
      max_concurrent: 3,
      executor: 'claude',
      model: undefined,
      integration: 'review',
      isolation: 'worktree',
    });
    expect(problem).toBeUndefined();
  });

  it('is the flag, then the environment, then the file, then the default [CONF-01]', async () => {
    await writeFile(file(), 'max_concurrent = 4\nexecutor = "codex"\nmax_depth = 1\n');
    const env = {
      FLEET_MAX_CONCURRENT: '5',
      FLEET_EXECUTOR: 'gemini',
      FLEET_ALLOWED_REPOS: '/a, /b',
      FLEET_LIMIT_EXECUTOR: 'claude=2,codex=1',
      FLEET_MODEL: '',
    };
    const current = (await opened(env, { max_concurrent: '6' })).current();
    expect(current.values).toMatchObject({ max_concurrent: 6, executor: 'gemini', max_depth: 1, allowed_repos: ['/a', '/b'] });
    expect(current.values.limit_executor).toEqual({ claude: 2, codex: 1 });
    const origins = ['max_concurrent', 'executor', 'max_depth', 'retention_days', 'model'].map((name) => origin(current, name));
    expect(origins).toEqual(['flag', 'environment', 'file', 'default', 'default']);
  });

  it('is refused when the environment is wrong, naming the variable', async () => {
    const fault = { code: 'invalid', message: 'FLEET_MAX_CONCURRENT: expected a whole number from 1 to 1000, got "many"' };
    await expect(opened({ FLEET_MAX_CONCURRENT: 'many' })).rejects.toMatchObject(fault);
  });
});

describe('a wrong file', () => {
  it.each([
    ['max_concurrent = 4\nexecutor = \n', /runtime\.toml line 2: .*last good settings stay/],
    [
      'max_concurrent = 4\n\nmax_depth = "deep"\n',
      /runtime\.toml line 3: max_depth: expected a whole number from 0 to 20, got "deep"/,
    ],
    [
      'max_concurrent = 4\nlimit_executor = { claude = 0 }\n',
      /line 2: limit_executor\.claude: expected a whole number from 1 to 1000, got 0/,
    ],
    [`# ${'x'.repeat(300_000)}`, /is longer than 262144 bytes/],
  ])('is told and not followed: %#', async (text, problem) => {
    await writeFile(file(), text);
    const current = (await opened()).current();
    expect(current.problem).toMatch(problem);
    expect(current.values.max_concurrent).toBe(3);
  });

  it('leaves the last good settings in force, also for a process that starts later [CONF-01]', async () => {
    await writeFile(file(), 'allowed_repos = ["/only/here"]\n');
    const source = await opened();
    await writeFile(file(), 'allowed_repos = [\n');
    await source.reload();
    const later = (await opened()).current();
    for (const current of [source.current(), later]) {
      expect(current.values.allowed_repos).toEqual(['/only/here']);
      expect(current.problem).toMatch(/last good settings stay in force/);
    }
  });

  it('leaves in force what another process has set meanwhile, though this one never read it [CONF-01]', async () => {
    const early = await opened();
    const late = await opened();
    await late.set(['max_concurrent=9']);
    await writeFile(file(), 'max_concurrent = "many"\n');
    await early.reload();
    expect(early.current().values.max_concurrent).toBe(9);
    expect(early.current().problem).toContain('the last good settings stay in force');
  });

  it('is not edited, and the line is named', async () => {
    await writeFile(file(), 'max_concurrent = \n');
    await expect((await opened()).set(['executor=codex'])).rejects.toMatchObject({
      code: 'invalid',
      message: /nothing was changed: .*line 1/,
    });
    expect(await readFile(file(), 'utf8')).toBe('max_concurrent = \n');
  });

  it('reports keys nobody knows with the nearest name, and follows the rest', async () => {
    await writeFile(file(), 'max_concurent = 4\nmax_depth = 1\n');
    const current = (await opened()).current();
    expect(current.problem).toMatch(
      /runtime\.toml line 1: unknown setting "max_concurent" is ignored; did you mean max_concurrent\?$/,
    );
    expect(current.values).toMatchObject({ max_concurrent: 3, max_depth: 1 });
  });
});

describe('setting values', () => {
  it('makes all assignments or none', async () => {
    const source = await opened();
    await expect(source.set(['max_concurrent=5', 'max_depth=deep'])).rejects.toMatchObject({ code: 'invalid' });
    await expect(stat(file())).rejects.toMatchObject({ code: 'ENOENT' });
    await source.set(['max_concurrent=5', 'max_depth=1']);
    expect(source.current().values).toMatchObject({ max_concurrent: 5, max_depth: 1 });
    expect((await stat(file())).mode & 0o777).toBe(0o600);
  });

  it('keeps a link a link', async () => {
    await writeFile(join(home, 'elsewhere.toml'), '# mine\n');
    await symlink(join(home, 'elsewhere.toml'), file());
    await (await opened()).set(['max_depth=1']);
    expect(await readFile(join(home, 'elsewhere.toml'), 'utf8')).toBe('# mine\nmax_depth = 1\n');
  });

  it('reads back every text as it was written [CONF-01]', async () => {
    const title = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }).filter((value) => Title.safeParse(value).success);
    const path = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }).filter((value) => Path.safeParse(value).success);
    const wishes = fc.record({ model: title, allowed_repos: fc.array(path, { minLength: 1, maxLength: 3 }) });
    const written = ({ model, allowed_repos }: { model: string; allowed_repos: string[] }) => [
      `model=${model}`,
      `allowed_repos=${JSON.stringify(allowed_repos)}`,
    ];
    fc.assert(
      fc.property(wishes, wishes, (first, then) => {
        const once = editSettings('# mine\n', written(first).map(readAssignment));
        const twice = editSettings(once, written(then).map(readAssignment));
        expect([once, twice].map((text) => parseSettings(text, 'runtime.toml'))).toMatchObject([
          { values: first },
          { values: then },
        ]);
      }),
      { numRuns: 300 },
    );
    const source = await opened();
    for (const wish of fc.sample(wishes, 8)) {
      await source.set(written(wish));
      expect(source.current().values).toMatchObject(wish);
    }
  });

  it('loses nothing when many write at once, and clears the lock of a dead process', async () => {
    await writeFile(`${file()}.lock`, JSON.stringify({ boot: 'another', pid: 1, started: '1' }));
    const sources = await Promise.all(Array.from({ length: 8 }, () => opened()));
    await Promise.all(sources.map((source, index) => source.set([`limit_project.p${index}=${index + 1}`])));
    const counts = (await opened()).current().values.limit_project;
    expect(Object.keys(counts).toSorted()).toEqual(Array.from({ length: 8 }, (_, index) => `p${index}`));
  });

  it('says to make the home first when there is none', async () => {
    const source = await openSettings({ home: join(home, 'none'), env: {} });
    await expect(source.set(['max_depth=1'])).rejects.toMatchObject({
      code: 'unavailable',
      details: { hint: 'make the home first: fleet init' },
    });
  });
});

describe('a file that changes while the fleet runs', () => {
  it('is taken up; a broken one is told and, once mended, applied; replacement and deletion too [CONF-01]', async () => {
    const source = await opened();
    const stop = new AbortController();
    source.watch(stop.signal, () => {});
    const becomes = async (check: (current: CurrentSettings) => boolean) => {
      await vi.waitFor(() => expect(check(source.current())).toBe(true), { timeout: 10_000, interval: 25 });
      return check(source.current());
    };
    await writeFile(file(), 'max_concurrent = 5\n');
    expect(await becomes(({ values }) => values.max_concurrent === 5)).toBe(true);
    await writeFile(file(), 'max_concurrent = [\n');
    expect(await becomes(({ problem, values }) => problem !== undefined && values.max_concurrent === 5)).toBe(true);
    await writeFile(join(home, 'new.toml'), 'max_concurrent = 8\n');
    await rename(join(home, 'new.toml'), file());
    expect(await becomes(({ problem, values }) => problem === undefined && values.max_concurrent === 8)).toBe(true);
    await unlink(file());
    expect(await becomes(({ values }) => values.max_concurrent === 3)).toBe(true);
    stop.abort();
  });
});
