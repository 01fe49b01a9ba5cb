import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { root } from '../../tools/paths.mjs';
import { boxed, boxHouse, inShop } from '../support/box-house.ts';

/** As a shell does with `exec 77< DIRECTORY`: Node passes on what lies above the first gap. */
const withDirectory = (directory: string): string[] => ['bash', '-c', 'exec 77< "$1"; shift; exec "$@"', 'bash', directory];

const LOOK =
  'for fd in /proc/$$/fd/*; do echo "${fd##*/}"; done; cat /proc/$$/fd/77/secret /proc/*/fd/77/secret 2> /dev/null; echo looked; exit 0';
const NONE = '! [ -e /proc/$$/fd/77 ]';

describe('files that were open where Fleet was started', () => {
  for (const words of [['up', '--background'], ['--json', 'up', '--background'], ['run']])
    boxed(`are in no agent, set-up or gate of \`fleet ${words.join(' ')}\` [RUN-16] [T11]`, async () => {
      await using house = await boxHouse();
      const secrets = join(house.directory, 'secrets');
      await mkdir(secrets);
      await writeFile(join(secrets, 'secret'), 'canary\n');
      const repo = await house.repository('shop');
      await house.ok(['project', 'add', repo, '--name', 'shop', '--integration', 'auto', '--setup', NONE, '--verify', NONE]);
      const [bash = '', ...shell] = withDirectory(secrets);
      const { spawn } = await import('node:child_process');
      const engine = spawn(bash, [...shell, process.execPath, join(root, 'dist', 'fleet.mjs'), ...words], {
        cwd: house.directory,
        env: house.env,
        stdio: 'ignore',
      });
      try {
        await vi.waitFor(async () => expect((await house.fleet(['up', '--status'])).code).toBe(0));
        const free = await house.create(LOOK);
        const boxedIn = await house.create(LOOK, '--sandbox');
        const work = await inShop(house, 'echo more >> README; git commit -qam more; exit 0');
        await house.settled([free, boxedIn, work]);
        for (const id of [free, boxedIn]) expect(await house.said(id)).toMatch(/^0\n1\n(10\n)?2\n(3\n)?looked\n$/);
        expect(await house.task(work)).toMatchObject({ phase: { state: 'done' } });
      } finally {
        await house.fleet(['up', '--stop']);
        engine.kill();
      }
    });
});
