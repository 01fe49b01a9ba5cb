import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, rmSync, symlinkSync } from 'node:fs';
import { chmod, link, mkdir, mkdtemp, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentPath } from './agent-path.ts';
import { applyFileOpsSync, placeAt } from './file-ops.ts';
import { listSafely, lookSafely, openSafely, readRegular, readSafely } from './read-safely.ts';
import { removeSafely, replaceSafely } from './write-safely.ts';

const MOST = 1_000;
let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fleet safely '));
  await mkdir(join(root, 'in', 'deep'), { recursive: true });
  await mkdir(join(root, 'out'));
  await writeFile(join(root, 'out', 'secret'), 'secret');
  await writeFile(join(root, 'in', 'deep', 'page.md'), 'hello');
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

const inside = (relative: string) => agentPath(join(root, 'in'), relative);
const read = (relative: string, most = MOST) => readSafely(inside(relative), most);

describe('reading what an agent can write', () => {
  it('gives the bytes of a regular file, up to a limit [T13]', async () => {
    expect(await read('deep/page.md', 5)).toEqual({ bytes: Buffer.from('hello') });
    expect(await read('deep/page.md', 4)).toEqual({ why: 'large' });
    await writeFile(join(root, 'in', 'sparse'), '');
    await truncate(join(root, 'in', 'sparse'), 900 * 2 ** 30);
    expect(await read('sparse')).toEqual({ why: 'large' });
    expect(await read('none')).toEqual({ why: 'absent' });
    expect(await read('deep/page.md/none')).toMatchObject({ why: expect.stringMatching(/absent|other/) });
  });

  it('opens no link on any component, no pipe, no device, no socket and no directory [T13] [R31]', async () => {
    await symlink(join(root, 'out', 'secret'), join(root, 'in', 'link'));
    await symlink(join(root, 'out'), join(root, 'in', 'folder'));
    await symlink('/dev/zero', join(root, 'in', 'zero'));
    execFileSync('mkfifo', [join(root, 'in', 'fifo')]);
    expect(await read('link')).toEqual({ why: 'link' });
    expect(await read('folder/secret')).toEqual({ why: 'link' });
    expect(await read('zero')).toEqual({ why: 'link' });
    expect(await read('fifo')).toEqual({ why: 'pipe' });
    expect(await read('deep')).toEqual({ why: 'directory' });
    const server = createServer().listen(join(root, 'in', 's'));
    await new Promise((resolve) => server.once('listening', resolve));
    expect(await read('s')).toEqual({ why: 'other' });
    await new Promise((resolve) => server.close(resolve));
    expect(await readSafely(agentPath('/dev', 'null'), MOST)).toEqual({ why: 'other' });
  });

  it('refuses a path that is not below its root, whoever made it', async () => {
    for (const relative of ['../out/secret', 'deep/../../out/secret', '/etc/passwd', '', '.', 'deep//page.md', 'a\0b'])
      await expect(read(relative)).rejects.toThrow('no plain path');
  });

  it('says that it may not read what is closed to it', async () => {
    await writeFile(join(root, 'in', 'closed'), 'x');
    await chmod(join(root, 'in', 'closed'), 0);
    const isRoot = process.getuid?.() === 0;
    expect(await read('closed')).toEqual(isRoot ? { bytes: Buffer.from('x') } : { why: 'refused' });
  });

  it('never follows a directory that is swapped for a link while it reads', async () => {
    const own = join(root, 'in', 'swapped');
    await mkdir(own);
    await writeFile(join(own, 'secret'), 'plain');
    const swap = `const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
      const [own, out] = process.argv.slice(1);
      for (;;) { renameSync(own, own + '.d'); symlinkSync(out, own); unlinkSync(own); renameSync(own + '.d', own); }`;
    const swapper = spawn(process.execPath, ['-e', swap, own, join(root, 'out')], { stdio: 'ignore' });
    await once(swapper, 'spawn');
    const seen = new Set<string>();
    try {
      for (let turn = 0; turn < 3_000; turn += 1) {
        const found = await read('swapped/secret');
        seen.add('bytes' in found ? found.bytes.toString() : found.why);
      }
    } finally {
      swapper.kill('SIGKILL');
      await once(swapper, 'exit');
    }
    expect([...seen].filter((what) => what === 'secret')).toEqual([]);
    expect(seen).toContain('plain');
  });

  it('reads no more than its limit of a file that grows while it is read, and loses no descriptor', async () => {
    const file = join(root, 'in', 'growing');
    await writeFile(file, 'x'.repeat(500));
    for (let turn = 0; turn < 200; turn += 1) {
      const reading = read('growing');
      appendFileSync(file, 'y'.repeat(20));
      const found = await reading;
      if ('bytes' in found) expect(found.bytes.length).toBeLessThanOrEqual(MOST);
    }
    expect(await read('growing')).toEqual({ why: 'large' });
    rmSync(file);
    symlinkSync(file, file);
    expect(await read('growing')).toEqual({ why: 'link' });
    await rename(file, `${file}.gone`);
  });
});

describe('looking, listing and writing where an agent can write', () => {
  it('says what is there without opening it, and follows no link on the way [T13]', async () => {
    expect(await lookSafely(inside('deep/page.md'))).toMatchObject({ kind: 'file', size: 5 });
    expect(await lookSafely(inside('deep'))).toMatchObject({ kind: 'directory' });
    expect(await lookSafely(inside('folder/secret'))).toEqual({ why: 'link' });
    expect(await lookSafely(inside('fifo'))).toEqual({ why: 'pipe' });
    expect(await lookSafely(inside('none/at/all'))).toEqual({ why: 'absent' });
  });

  it('lists so many names of a directory, and none behind a link [T13]', async () => {
    await mkdir(join(root, 'in', 'many'));
    for (const name of ['a', 'b', 'c']) await writeFile(join(root, 'in', 'many', name), '');
    const all = await listSafely(inside('many'), 3);
    expect(all).toMatchObject({ more: false });
    expect('names' in all && all.names.toSorted()).toEqual(['a', 'b', 'c']);
    expect(await listSafely(inside('many'), 2)).toMatchObject({ more: true, names: { length: 2 } });
    expect(await listSafely(inside('folder'), 9)).toEqual({ why: 'link' });
    expect(await listSafely(agentPath(join(root, 'in', 'many'), ''), 9)).toMatchObject({ more: false });
  });

  it('follows the links a user has made in a place of theirs, and opens no pipe there [T13]', async () => {
    expect(await readRegular(join(root, 'in', 'link'), MOST)).toEqual({ bytes: Buffer.from('secret') });
    expect(await readRegular(join(root, 'in', 'fifo'), MOST)).toMatchObject({ why: expect.stringMatching(/pipe|other/) });
    expect(await readRegular(join(root, 'in', 'zero'), MOST)).toEqual({ why: 'other' });
    expect(await readRegular(join(root, 'in', 'sparse'), MOST)).toEqual({ why: 'large' });
  });

  it('writes no file through a link, nor into a directory that is one [T13]', async () => {
    await mkdir(join(root, 'in', 'pages'));
    await symlink(join(root, 'out', 'secret'), join(root, 'in', 'pages', 'page'));
    expect(await replaceSafely(inside('pages/page'), 'new')).toBe(true);
    expect(await read('pages/page')).toEqual({ bytes: Buffer.from('new') });
    expect(await replaceSafely(inside('pages/page'), 'newer', async () => false)).toBe(false);
    expect(await read('pages/page')).toEqual({ bytes: Buffer.from('new') });
    await expect(replaceSafely(inside('folder/planted'), 'new')).rejects.toThrow('link');
    const lay = (name: string): void =>
      applyFileOpsSync([
        { lay: 'directory', ...placeAt(inside(name)) },
        { lay: 'file', ...placeAt(inside(`${name}/planted`)), text: 'x' },
      ]);
    expect(() => lay('folder')).toThrow('link');
    expect(await listSafely(agentPath(root, 'out'), 9)).toEqual({ names: ['secret'], more: false });
    expect(await readSafely(agentPath(root, 'out/secret'), MOST)).toEqual({ bytes: Buffer.from('secret') });
    applyFileOpsSync([{ lay: 'file', ...placeAt(inside('link')), text: 'x' }]);
    expect(await readSafely(agentPath(root, 'out/secret'), MOST)).toEqual({ bytes: Buffer.from('secret') });
  });

  it('removes a directory with what lies in it, and nothing behind a link [T13]', async () => {
    await mkdir(join(root, 'in', 'doomed', 'deep'), { recursive: true });
    await symlink(join(root, 'out'), join(root, 'in', 'doomed', 'deep', 'away'));
    await removeSafely(inside('doomed'));
    expect(await lookSafely(inside('doomed'))).toEqual({ why: 'absent' });
    for (const name of ['folder/secret', 'link', 'none', 'none/at/all']) await removeSafely(inside(name));
    expect(await lookSafely(inside('link'))).toEqual({ why: 'absent' });
    expect(await readSafely(agentPath(root, 'out/secret'), MOST)).toEqual({ bytes: Buffer.from('secret') });
  });

  it('refuses to change a file that has another name elsewhere', async () => {
    await link(join(root, 'out', 'secret'), join(root, 'in', 'twin'));
    expect(await openSafely(inside('twin'), { write: true, alone: true })).toEqual({ why: 'shared' });
  });

  it('holds up nobody: the loop goes on while pipes and floods are looked at [T13] [P7]', async () => {
    const loop = monitorEventLoopDelay({ resolution: 5 });
    loop.enable();
    for (let turn = 0; turn < 300; turn += 1) await Promise.all([read('fifo'), read('sparse'), read('deep/page.md')]);
    loop.disable();
    // A thread that waits for the other end of a pipe waits for ever; a busy machine is only slow.
    expect(loop.mean / 1e6).toBeLessThan(200);
  });
});
