import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bytesOf, gathered } from './conformance/logs.ts';
import { runLogConformance } from './conformance/run-log-conformance.ts';
import { openFileRunLog } from './file-run-log.ts';

async function makeLog(clock = { now: () => 1_000 }) {
  const directory = await mkdtemp(join(tmpdir(), 'fleet-runlog-'));
  const [blobs, streams] = [join(directory, 'home', 'blobs'), join(directory, 'home', 'runs')];
  const log = openFileRunLog({ blobs, streams, clock });
  return { directory, blobs, streams, log, [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) };
}

runLogConformance('file run log', makeLog);

const mode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe('file run log', () => {
  it('creates files and directories for their owner only', async () => {
    await using made = await makeLog();
    const name = await made.log.putBlob('secret');
    await made.log.append('run_1/out', bytesOf('secret'), 0);
    expect(await mode(join(made.blobs, name.slice(0, 2), name))).toBe(0o600);
    expect(await mode(join(made.streams, 'run_1/out'))).toBe(0o600);
    for (const path of [made.blobs, join(made.blobs, name.slice(0, 2)), join(made.streams, 'run_1')])
      expect(await mode(path)).toBe(0o700);
  });

  it('refuses a link or a pipe in place of a stream', async () => {
    await using made = await makeLog();
    const outside = join(made.directory, 'outside');
    await writeFile(outside, 'private');
    await mkdir(join(made.streams, 'run_1'), { recursive: true });
    await symlink(outside, join(made.streams, 'run_1/out'));
    await symlink(made.directory, join(made.streams, 'run_2'));
    execFileSync('mkfifo', [join(made.streams, 'run_1/pipe')]);
    for (const stream of ['run_1/out', 'run_2/outside', 'run_1/pipe']) {
      await expect(made.log.read(stream, 0, 100)).rejects.toMatchObject({ code: 'forbidden' });
      await expect(made.log.append(stream, bytesOf('x'), 0)).rejects.toMatchObject({ code: 'forbidden' });
    }
    expect(await readFile(outside, 'utf8')).toBe('private');
  });

  it('never returns a damaged blob, and repairs it when the text is put again', async () => {
    await using made = await makeLog();
    const name = await made.log.putBlob('good text');
    await writeFile(join(made.blobs, name.slice(0, 2), name), 'bad text');
    await expect(made.log.getBlob(name)).rejects.toMatchObject({ code: 'unavailable' });
    await made.log.putBlob('good text');
    expect(await made.log.getBlob(name)).toBe('good text');
  });

  it('removes temporary files that a crash left', async () => {
    await using made = await makeLog();
    const name = await made.log.putBlob('text');
    const folder = join(made.blobs, name.slice(0, 2));
    await writeFile(join(folder, `${name}.half.tmp`), 'te');
    await utimes(join(folder, `${name}.half.tmp`), 1, 1);
    expect(await gathered(made.log.listBlobs(10_000))).toEqual([name]);
    expect(await readdir(folder)).toEqual([name]);
  });
});
