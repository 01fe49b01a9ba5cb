import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { planted, plantedCheckout } from './planted.ts';

const root = dirname(import.meta.dirname);

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(command: string, args: readonly string[], options: { cwd: string; env?: NodeJS.ProcessEnv }): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
    child.stderr.on('data', (text: Buffer) => (stderr += text.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** A checkout whose npm is a script that notes each call. */
function withNpm(npm: string): ReturnType<typeof planted> & { setUp(): Promise<Ran>; calls(): number } {
  const place = planted({ 'bin/npm': npm, 'package-lock.json': '{ "packages": {} }', 'package.json': '{ "type": "module" }' });
  chmodSync(join(place.path, 'bin', 'npm'), 0o755);
  cpSync(join(root, 'tools'), join(place.path, 'tools'), { recursive: true });
  const env = { ...process.env, PATH: `${join(place.path, 'bin')}:${process.env['PATH']}` };
  const calls = join(place.path, 'calls');
  return {
    path: place.path,
    [Symbol.dispose]: () => place[Symbol.dispose](),
    setUp: () => run(process.execPath, ['tools/setup.mjs'], { cwd: place.path, env }),
    calls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n').length : 0),
  };
}

/** A process that has ended and that nobody has asked about yet does not run. */
const isRunning = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

const installs = '#!/bin/sh\necho call >> calls\nsleep 0.5\nmkdir -p node_modules\n';

describe('set-up', () => {
  it('installs once, and does nothing until the lock file changes', async () => {
    using checkout = withNpm(installs);
    expect(await checkout.setUp()).toMatchObject({ code: 0, stdout: '' });
    expect(await checkout.setUp()).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(checkout.calls()).toBe(1);
    writeFileSync(join(checkout.path, 'package-lock.json'), '{ "packages": { } }');
    await checkout.setUp();
    expect(checkout.calls()).toBe(2);
  });

  it('installs once when several ask at the same time', async () => {
    using checkout = withNpm(installs);
    const ran = await Promise.all(Array.from({ length: 4 }, () => checkout.setUp()));
    expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(checkout.calls()).toBe(1);
    expect(ran.filter(({ stderr }) => stderr.includes('waiting for another set-up'))).toHaveLength(3);
  });

  it('takes the lock of a holder that died', async () => {
    using checkout = withNpm(installs);
    const lock = join(checkout.path, '.cache', 'setup-lock', '7');
    mkdirSync(lock, { recursive: true });
    writeFileSync(join(lock, 'owner'), '4194303 1@gone');
    expect(await checkout.setUp()).toMatchObject({ code: 0 });
    expect(checkout.calls()).toBe(1);
    expect(existsSync(join(checkout.path, '.cache', 'setup-lock', '8', 'released'))).toBe(true);
  });

  it('ends npm and all of its processes when it is stopped, and begins anew the next time', async () => {
    // The first npm hangs with a child of its own, having made a node_modules that looks complete.
    using checkout = withNpm(
      `#!/bin/sh
echo call >> calls
mkdir -p node_modules
[ -e again ] && exit 0
touch again
echo '{ "packages": {} }' > node_modules/.package-lock.json
sleep 600 &
echo "$$ $!" > pids.part && mv pids.part pids
wait
`,
    );
    const pids = join(checkout.path, 'pids');
    const env = { ...process.env, PATH: `${join(checkout.path, 'bin')}:${process.env['PATH']}` };
    const child = spawn(process.execPath, ['tools/setup.mjs'], { cwd: checkout.path, env, stdio: ['ignore', 'ignore', 'pipe'] });
    const ended = new Promise((resolve) => child.once('close', resolve));
    await vi.waitFor(() => expect(existsSync(pids)).toBe(true), 30_000);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    for (const pid of readFileSync(pids, 'utf8').trim().split(' ').map(Number))
      await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 30_000);
    expect(await checkout.setUp()).toMatchObject({ code: 0 });
    expect(checkout.calls()).toBe(2);
    expect(await checkout.setUp()).toMatchObject({ code: 0, stderr: '' });
  });

  it('shows what npm said when it fails, and what to do', async () => {
    using checkout = withNpm('#!/bin/sh\necho the registry is away >&2\nexit 1\n');
    const { code, stdout, stderr } = await checkout.setUp();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/the registry is away[^]*run the command again/);
  });

  it('accepts packages that were installed by hand', async () => {
    using checkout = withNpm(installs);
    const packages = {
      'node_modules/a': { version: '1.0.0', integrity: 'x' },
      'node_modules/a-darwin': { version: '1.0.0', optional: true },
    };
    writeFileSync(join(checkout.path, 'package-lock.json'), JSON.stringify({ packages }));
    mkdirSync(join(checkout.path, 'node_modules', 'a'), { recursive: true });
    writeFileSync(
      join(checkout.path, 'node_modules', '.package-lock.json'),
      JSON.stringify({ packages: { 'node_modules/a': packages['node_modules/a'] } }),
    );
    await checkout.setUp();
    expect(checkout.calls()).toBe(0);
  });
});

describe('the launcher', () => {
  it('builds on first use, keeps stdout for the command, and works through links from anywhere', async () => {
    using checkout = plantedCheckout({});
    const first = await run(join(checkout.path, 'fleet'), ['one', 'a b'], { cwd: '/' });
    expect(first).toMatchObject({ code: 0, stdout: 'ran|one|a b\n' });
    expect(first.stderr).toContain('built in');

    const link = join(dirname(checkout.path), 'link to fleet');
    symlinkSync('a checkout/fleet', link);
    symlinkSync(link, `${link} again`);
    const second = await run(`${link} again`, ['--x=$(id)'], { cwd: dirname(checkout.path) });
    expect(second).toEqual({ code: 0, stdout: 'ran|--x=$(id)\n', stderr: '' });
  });

  it('builds again when the source is newer, and says on stderr when that fails', async () => {
    using checkout = plantedCheckout({});
    const main = join(checkout.path, 'src', 'app', 'main.ts');
    const fleet = () => run(join(checkout.path, 'fleet'), [], { cwd: checkout.path });
    await fleet();
    const later = new Date(Date.now() + 1_000);
    writeFileSync(main, "console.log('changed');\n");
    utimesSync(main, later, later);
    expect(await fleet()).toMatchObject({ code: 0, stdout: 'changed\n' });

    writeFileSync(main, 'this is no program (\n');
    utimesSync(main, new Date(Date.now() + 2_000), new Date(Date.now() + 2_000));
    const failed = await fleet();
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toContain('the build failed');
  });

  it('lets a running copy load its parts after a newer build took its place', async () => {
    const program = (word: string) =>
      `process.stdin.once('data', async () => { const { say } = await import('./later.ts'); say('${word}'); process.exit(0); });\nconsole.log('ready');\n`;
    using checkout = plantedCheckout({
      'src/app/main.ts': "await import('./commands.ts');\n",
      'src/app/commands.ts': program('old'),
      'src/app/later.ts': 'export const say = (x: string) => console.log(x, 1);\n',
    });
    const build = () => run(process.execPath, ['tools/build.mjs'], { cwd: checkout.path });
    await build();
    const old = spawn(process.execPath, ['dist/fleet.mjs'], { cwd: checkout.path, stdio: ['pipe', 'pipe', 'inherit'] });
    let said = '';
    old.stdout.on('data', (text: Buffer) => (said += text.toString()));
    await new Promise((resolve) => old.stdout.once('data', resolve));
    writeFileSync(join(checkout.path, 'src', 'app', 'later.ts'), 'export const say = (x: string) => console.log(x, 2);\n');
    await build();
    old.stdin.end('go\n');
    await new Promise((resolve) => old.once('close', resolve));
    expect(said).toBe('ready\nold 1\n');
  });
});
