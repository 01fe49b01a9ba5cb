import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { barrierRepair, barrierText, barrierTo } from './out-of-reach.ts';

const SOMEBODY = { uid: 4_294_967_000, gid: 4_294_967_000 };

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'fleet-reach-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function laid(path: string, mode = 0o755): Promise<string> {
  const file = join(root, path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, '');
  await chmod(file, mode);
  return file;
}

describe('what keeps another user from a program in a sandbox [RUN-16]', () => {
  it('is nothing above the outermost place that is shown, because that is made for the sandbox', async () => {
    const file = await laid('home/bin/agent');
    await chmod(join(root, 'home'), 0o700);
    expect(await barrierTo(file, SOMEBODY, [])).toBeUndefined();
    expect(await barrierTo(file, SOMEBODY, [join(root, 'home', 'bin')])).toBeUndefined();
    const barrier = await barrierTo(file, SOMEBODY, [join(root, 'home', 'bin'), join(root, 'home')]);
    expect(barrier).toEqual({ at: join(root, 'home'), isDirectory: true });
    expect(barrier && barrierText(barrier, 'nobody')).toContain(`${join(root, 'home')} may not be entered by nobody`);
    expect(barrier && barrierRepair(barrier)).toBe(`chmod o+x ${join(root, 'home')}`);
  });

  it('is a file that may be run by its owner alone, or that cannot be read', async () => {
    for (const mode of [0o700, 0o711, 0o754]) {
      const file = await laid('agent it is', mode);
      const barrier = await barrierTo(file, SOMEBODY, []);
      expect(barrier).toEqual({ at: file, isDirectory: false });
      expect(barrier && barrierRepair(barrier)).toBe(`chmod o+rx '${file}'`);
    }
  });

  it('is no module that others read and nobody runs, unless it cannot be read', async () => {
    expect(await barrierTo(await laid('agent.mjs', 0o644), SOMEBODY, [])).toBeUndefined();
    const file = await laid('own.mjs', 0o600);
    expect(await barrierTo(file, SOMEBODY, [])).toEqual({ at: file, isDirectory: false });
  });

  it('is all of a package that was installed for one user', async () => {
    const file = await laid('lib/node_modules/agent/cli.js');
    await chmod(join(root, 'lib', 'node_modules', 'agent'), 0o700);
    const barrier = await barrierTo(file, SOMEBODY, [join(root, 'lib', 'node_modules')]);
    expect(barrier && barrierRepair(barrier)).toBe(`chmod -R o+rX ${join(root, 'lib', 'node_modules', 'agent')}`);
  });

  it('is nothing where the rights of its owner or its group are enough, and no link', async () => {
    const file = await laid('agent', 0o750);
    const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
    expect(await barrierTo(file, { uid: SOMEBODY.uid, gid }, [])).toBeUndefined();
    expect(await barrierTo(file, { uid, gid: SOMEBODY.gid }, [])).toBeUndefined();
    await symlink(file, join(root, 'link'));
    expect(await barrierTo(join(root, 'link'), SOMEBODY, [])).toBeUndefined();
  });
});
