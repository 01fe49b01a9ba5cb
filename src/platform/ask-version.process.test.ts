import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askVersion, findProgram } from './ask-version.ts';

let folder = '';
const program = async (name: string, script: string, mode = 0o755) => {
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, name), mode);
};
const env = () => ({ PATH: `${folder}:/usr/bin:/bin` });
const ask = (name: string, timeoutMs = 120_000) => askVersion(name, ['--version'], { env: env(), timeoutMs });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fleet-ask-'));
  await program('good', 'echo "good version 1.2.3-beta.4 (linux)"');
  await program('quiet', 'exit 0');
  await program('broken', 'echo "shim: not installed" >&2; exit 127');
  await program('hanging', 'sleep 60 & sleep 60');
  await program('leaving', '(until [ -e "$0.go" ] || [ ! -e "$0" ]; do sleep 0.1; done; : > "$0.gone") & echo 2.0.1');
  await program('unusable', 'echo 1.0', 0o644);
  await mkdir(join(folder, 'directory'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('asking a program for its version', () => {
  it('finds it on the path and reads what it says', async () => {
    expect(await ask('good')).toEqual({ found: true, path: join(folder, 'good'), version: '1.2.3-beta.4' });
    expect(await ask('quiet')).toEqual({ found: true, path: join(folder, 'quiet') });
  });

  it('tells what is not there from what does not work', async () => {
    for (const name of ['missing', 'unusable', 'directory']) expect(await ask(name)).toEqual({ found: false });
    expect(await findProgram('good', {})).toBeUndefined();
    expect(await ask('broken')).toMatchObject({ found: true, problem: 'ended with exit code 127: shim: not installed' });
  });

  it('asks in an empty directory, with closed input and no variable that programs do not need', async () => {
    await program('nosy', `{ cat; pwd; ls -A; env; } > '${folder}/seen'; echo 1.2.3`);
    const env = {
      PATH: `${folder}:/usr/bin:/bin`,
      HOME: '/home/x',
      OPENAI_API_KEY: 'a key of its own',
      FLEET_TOKEN: 't',
      LC_ALL: 'C',
    };
    expect(await askVersion('nosy', [], { env, timeoutMs: 10_000 })).toMatchObject({ version: '1.2.3' });
    const seen = await readFile(join(folder, 'seen'), 'utf8');
    expect(seen.split('\n')[0]).toMatch(/fleet-version-\w+$/);
    expect(seen).toContain('LC_ALL=C');
    expect(seen).not.toMatch(/a key of its own|FLEET_TOKEN/);
    expect(existsSync(seen.split('\n')[0] ?? '')).toBe(false);
  });

  it('waits no longer than it was told to, and leaves nothing behind', async () => {
    expect(await ask('hanging', 300)).toMatchObject({ problem: 'did not answer --version within 0.3 s' });
  });

  it('does not wait for a helper that the program left behind', async () => {
    expect(await ask('leaving')).toMatchObject({ version: '2.0.1' });
    // Only now may the helper go.
    await writeFile(join(folder, 'leaving.go'), '');
    await expect.poll(() => existsSync(join(folder, 'leaving.gone')), { timeout: 60_000 }).toBe(true);
  });
});
