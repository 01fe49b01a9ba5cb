import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Service, serviceText } from './service-unit.ts';

const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;

/** Everything that means something to a shell, to systemd or to XML. */
const AWKWARD = `we ird "q" 'a' $HOME \${X} %h \\n & <b> ; # -- ü`;

const service = (directory: string): Service => ({
  home: join(directory, 'home'),
  isUsualHome: false,
  command: [join(directory, 'node'), join(directory, 'fleet.mjs'), 'up', '--json', '--port', '8080'],
  env: { FLEET_HOME: join(directory, 'home'), PATH: `/usr/bin:${directory}` },
  userHome: directory,
});

describe('the text of a service', () => {
  it.runIf(has('systemd-analyze', '--version'))('is one systemd finds no fault with, whatever the paths are', async () => {
    const root = await mkdtemp(join(tmpdir(), 'fleet-unit-'));
    try {
      const directory = join(root, AWKWARD);
      await mkdir(directory);
      await symlink(process.execPath, join(directory, 'node'));
      const { text, name } = serviceText('systemd', service(directory));
      const verify = async (unit: string) => {
        const file = join(root, name);
        await writeFile(file, unit);
        const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
          encoding: 'utf8',
          env: { PATH: process.env['PATH'], HOME: root, XDG_RUNTIME_DIR: root },
        });
        return { status, ours: stderr.split('\n').filter((line) => line.includes(name) && !line.includes("'DelegateSubgroup'")) };
      };
      expect(await verify(text)).toEqual({ status: 0, ours: [] });
      // It would have complained.
      expect((await verify(text.replace('ExecStart="', 'ExecStart="/nowhere'))).ours).not.toEqual([]);
      expect(text).toContain('KillMode=process');
      expect(text).toContain('Delegate=yes\nDelegateSubgroup=fleet-outside\n');
      expect(text).toContain('%%h');
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });

  it('starts a program at an awkward path by one at a plain path, and lets no variable in', () => {
    const plain = serviceText('systemd', { ...service('/d'), command: ['/a/node', '/c$d/fleet.mjs', 'up'] });
    expect(plain.text).toContain('ExecStart="/a/node" "/c$$d/fleet.mjs" "up"\n');
    const awkward = serviceText('systemd', { ...service('/d'), command: ['/a$b/node', 'up'] });
    expect(awkward.text).toContain('ExecStart="/bin/sh" "-c" "exec \\"$$0\\" \\"$$@\\"" "/a$$b/node" "up"\n');
  });

  it.runIf(has('python3', '-c', 'import plistlib'))('is a property list that gives back every word', () => {
    const wanted = service(`/Users/${AWKWARD}`);
    const { text, name } = serviceText('launchd', wanted);
    const read = 'import plistlib,sys,json; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
    const { stdout, stderr } = spawnSync('python3', ['-c', read], { input: text, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({
      Label: name,
      ProgramArguments: wanted.command,
      EnvironmentVariables: wanted.env,
      AbandonProcessGroup: true,
      KeepAlive: { SuccessfulExit: false },
    });
  });

  it('is one for each home, and refuses what no line can hold', () => {
    const usual = serviceText('systemd', { ...service('/d'), isUsualHome: true });
    expect(usual.name).toBe('fleet.service');
    expect(serviceText('systemd', service('/d')).name).toMatch(/^fleet-[0-9a-f]{8}\.service$/);
    expect(serviceText('systemd', service('/e')).name).not.toBe(serviceText('systemd', service('/d')).name);
    expect(() => serviceText('systemd', service('/d\nExecStartPre=/bin/evil'))).toThrow(/control character/);
  });
});
