import { mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Program } from '../domain/agent/executor.ts';
import { SETTINGS, type Settings } from '../domain/settings.ts';
import { shell } from '../executors/shell/shell.ts';
import type { BuiltIn } from './built-in.ts';
import { executorRegistry } from './executor-registry.ts';
import { executorsHere } from './executor-views.ts';
import { homePaths } from './home.ts';
import { versionAsker } from './version-asker.ts';

const DEFAULTS = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, setting]) => [name, setting.default]),
) as unknown as Settings;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fleet-views-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const program: Program = {
  command: 'agent',
  versionArgs: ['--version'],
  proved: '2.0.0',
  install: 'npm install -g agent',
  login: 'agent login',
  keys: ['AGENT_API_KEY'],
  credentials: ['.agent/auth.json'],
  moved: { variable: 'AGENT_HOME', directory: '.agent' },
  variables: ['AGENT_*'],
  native: (wrapper) => [join(dirname(wrapper), 'native')],
};
const builtIn = (more: Partial<Program> = {}): BuiltIn => ({
  name: 'agent',
  program: { ...program, ...more },
  make: () => ({ ...shell, name: 'agent' }),
});

/** A machine with these files, looked at with these variables. */
async function here(
  files: Readonly<Record<string, string>>,
  { env = {}, more = {}, patienceMs }: { env?: object; more?: Partial<Program>; patienceMs?: number } = {},
) {
  const root = await mkdtemp(join(folder, 'machine-'));
  const path = (name: string) => join(root, name);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(path(name)), { recursive: true });
    await writeFile(path(name), text, { mode: 0o755 });
  }
  const at = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value).replace('ROOT', root)]));
  const all = { HOME: path('home'), PATH: path('bin'), FLEET_HOME: path('fleet'), ...at };
  const paths = homePaths(all, root);
  const shelf = executorRegistry(paths, all, { settings: () => DEFAULTS, builtIn: [builtIn(more)] });
  const look = executorsHere(shelf, all, paths, versionAsker(all, patienceMs));
  const [agent] = await look();
  return { agent, look, path };
}

const says = (version: string) => `#!/bin/sh\necho agent ${version}\n`;

describe('an executor on this machine', () => {
  it('is missing, with how to install it', async () => {
    const { agent } = await here({});
    expect(agent).toMatchObject({ state: 'missing', program: { found: false, proved: '2.0.0' }, repair: 'npm install -g agent' });
  });

  it('is signed out until a variable or a file says otherwise; what is in it nobody reads [EXEC-05]', async () => {
    const bin = { 'bin/agent': says('2.0.0') };
    expect((await here(bin)).agent).toMatchObject({ state: 'signed_out', signedIn: 'no', repair: 'agent login' });
    expect((await here(bin, { env: { AGENT_API_KEY: '' } })).agent).toMatchObject({ signedIn: 'no' });
    const byKey = (await here(bin, { env: { AGENT_API_KEY: 'sk-very-secret' } })).agent;
    expect(byKey).toMatchObject({ state: 'ready', signedIn: 'yes', signedInBy: 'AGENT_API_KEY' });
    const byFile = await here({ ...bin, 'home/.agent/auth.json': '{"token":"sk-very-secret"}' });
    expect(byFile.agent).toMatchObject({ state: 'ready', signedInBy: byFile.path('home/.agent/auth.json') });
    expect((await here({ ...bin, 'home/.agent/auth.json': '' })).agent).toMatchObject({ signedIn: 'no' });
    expect(JSON.stringify([byKey, byFile.agent])).not.toContain('very-secret');
  });

  it('is signed in where its own variable has moved its files, and only there', async () => {
    const files = { 'bin/agent': says('2.0.0'), 'home/.agent/auth.json': 'x' };
    const env = { AGENT_HOME: 'ROOT/elsewhere' };
    expect((await here(files, { env })).agent).toMatchObject({ signedIn: 'no' });
    expect((await here({ ...files, 'elsewhere/auth.json': 'x' }, { env })).agent).toMatchObject({ signedIn: 'yes' });
  });

  it.each([
    ['1.9.9', 'older'],
    ['2.0.0', 'proved'],
    ['2.0.1', 'newer'],
  ])('tells that %s is %s', async (version, age) => {
    const { agent } = await here({ 'bin/agent': says(version) }, { more: { keys: [], credentials: [] } });
    expect(agent).toMatchObject({ state: 'ready', signedIn: 'unknown', program: { version, age } });
  });

  it('is the native program behind a wrapper', async () => {
    const { agent, path } = await here({ 'lib/wrapper.js': says('0.0.1'), 'lib/native': says('2.0.0') });
    expect(agent?.program?.found).toBe(false);
    await mkdir(path('bin'));
    await symlink(path('lib/wrapper.js'), path('bin/agent'));
    const env = { HOME: path('home'), PATH: path('bin'), FLEET_HOME: path('fleet') };
    const paths = homePaths(env, '/');
    const [found] = await executorsHere(
      executorRegistry(paths, env, { settings: () => DEFAULTS, builtIn: [builtIn()] }),
      env,
      paths,
    )();
    expect(found?.program).toMatchObject({ path: path('lib/native'), wrapper: path('bin/agent'), version: '2.0.0' });
  });

  it('has accounts, each signed in by what its own file says, and by no key of the user [EXEC-05]', async () => {
    const account = (place: string) => `[env]\nAGENT_HOME = "${place}"\n`;
    const { agent, path } = await here(
      {
        'bin/agent': says('2.0.0'),
        'fleet/accounts/agent/work.toml': account('~/work'),
        'fleet/accounts/agent/spare.toml': account('~/spare one'),
        'fleet/accounts/agent/keyed.toml': '[env]\nAGENT_API_KEY = "$SPARE_KEY"\n',
        'fleet/accounts/agent/odd.toml': 'env = 3\n',
        'home/work/auth.json': '{}',
      },
      { env: { AGENT_API_KEY: 'sk-very-secret' } },
    );
    expect(agent).toMatchObject({ state: 'ready', signedInBy: 'AGENT_API_KEY' });
    expect(agent?.accounts).toMatchObject([
      { name: 'keyed', signedIn: 'unknown', problem: expect.stringContaining('SPARE_KEY') },
      { name: 'odd', signedIn: 'unknown', repair: `edit ${path('fleet/accounts/agent/odd.toml')}` },
      { name: 'spare', signedIn: 'no', repair: `AGENT_HOME='${path('home/spare one')}' agent login` },
      { name: 'work', signedIn: 'yes', signedInBy: path('home/work/auth.json') },
    ]);
  });

  it('is broken when its program cannot tell its version, with what it said', async () => {
    const { agent } = await here({ 'bin/agent': '#!/bin/sh\necho cannot load libfoo >&2\nexit 3\n' });
    expect(agent).toMatchObject({
      state: 'broken',
      problem: expect.stringMatching(/bin\/agent ended with exit code 3: cannot load libfoo/),
      repair: 'npm install -g agent',
    });
  });

  it('is broken when its program hangs instead of telling its version', async () => {
    const { agent } = await here(
      { 'bin/agent': '#!/bin/sh\nexec /bin/sleep 600\n' },
      { env: { AGENT_API_KEY: 'x' }, patienceMs: 500 },
    );
    expect(agent).toMatchObject({
      state: 'broken',
      program: { found: true, proved: '2.0.0' },
      problem: expect.stringMatching(/bin\/agent did not answer --version within 0\.5 s/),
      repair: 'npm install -g agent',
    });
    expect(agent?.program).not.toHaveProperty('version');
  });

  it('is asked for its version once, for as long as its program is the same', async () => {
    const { look, path } = await here({ 'bin/agent': '#!/bin/sh\necho asked >> "${0%/*}/times"\necho 2.0.0\n' });
    const times = async () => (await readFile(path('bin/times'), 'utf8')).trim().split('\n').length;
    await Promise.all([look(), look(), look()]);
    expect(await times()).toBe(1);
    await utimes(path('bin/agent'), 1, 1);
    await look();
    expect(await times()).toBe(2);
  });
});
