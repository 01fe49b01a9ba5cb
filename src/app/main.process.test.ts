import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { VERSION } from './version.ts';

const FLEET = fileURLToPath(new URL('../../dist/fleet.mjs', import.meta.url));

function fleet(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [FLEET, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('help and version, which are computed when the program is built', () => {
  it('say what the command line itself says, plain and in colour', () => {
    for (const env of [{}, { FORCE_COLOR: '1' }]) {
      // With a flag besides, the whole command line is loaded.
      const long = fleet(['--home', '/nowhere', '--help'], env);
      expect(long).toMatchObject({ status: 0, stdout: expect.stringContaining('task'), stderr: '' });
      for (const word of ['--help', '-h', 'help']) expect(fleet([word], env)).toEqual(long);
    }
    for (const word of ['--version', '-V']) expect(fleet([word])).toEqual({ status: 0, stdout: `${VERSION}\n`, stderr: '' });
    expect(fleet(['--home', '/nowhere', '--version']).stdout).toBe(`${VERSION}\n`);
  });
});
