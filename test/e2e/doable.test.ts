import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cliHouse } from '../support/cli-house.ts';

describe('the command line', () => {
  it('says that the directory it is called in is gone, and does all that needs none', async () => {
    await using house = await cliHouse();
    const gone = join(house.directory, 'gone');
    await mkdir(gone);
    const inGone = (line: string) =>
      house.node([
        '-e',
        `process.chdir(process.argv[1]);
         require('node:fs').rmdirSync(process.argv[1]);
         const { status, stdout, stderr } = require('node:child_process').spawnSync('/bin/sh', ['-c', process.argv[2]], { encoding: 'utf8' });
         require('node:fs').mkdirSync(process.argv[1]);
         console.log(JSON.stringify({ status, stdout, stderr }));`,
        gone,
        `exec '${process.execPath}' dist/fleet.mjs ${line}`.replace('dist/', `${join(import.meta.dirname, '..', '..', 'dist')}/`),
      ]);
    for (const line of ['project add .', "task create 'fix it'"]) {
      const { status, stderr } = (await inGone(line)).json<{ status: number; stderr: string }>();
      expect(stderr).toContain('the directory you are in is gone');
      expect(stderr).not.toContain('ENOENT');
      expect(status).toBe(2);
    }
    expect((await inGone('status')).json()).toMatchObject({ status: 0, stdout: expect.stringContaining('No projects') });
    await rm(gone, { recursive: true });
  });
});

describe('fleet status', () => {
  it('counts tasks that were made a moment ago', async () => {
    await using house = await cliHouse();
    await house.ok(['up', '--background']);
    try {
      for (let n = 1; n <= 3; n += 1) {
        await house.ok(['task', 'create', 'wait for me', '--draft']);
        expect((await house.ok(['status'])).out).toContain(`${n} task`);
      }
    } finally {
      await house.ok(['up', '--stop']);
    }
  });
});
