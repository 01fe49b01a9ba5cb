import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { root } from '../../tools/paths.mjs';
import { boxed, boxPath } from '../support/box-house.ts';
import { tokenFor, whereIs } from '../support/mcp-house.ts';
import { workHouse } from '../support/work-house.ts';

// Where no sandbox can be made, bounds that ask for one refuse everything.
vi.stubEnv('PATH', boxPath(process.env['PATH']));

describe('bounds', () => {
  it('that became stricter hold for the next start: the task is blocked with the reason, and goes on within them [API-07]', async () => {
    await using house = await workHouse([], { engine: false });
    const id = await house.create('done well', '--no-expects-changes');
    await house.ok(['config', 'set', 'bounds_role.admin.executors=claude']);
    await house.up();
    const { phase } = await house.rest(id);
    expect(phase).toMatchObject({
      state: 'blocked',
      block: {
        cause: 'bounds',
        what: expect.stringContaining('the bounds of role admin allow no executor scripted, only claude'),
      },
    });
    expect((await house.ok(['task', 'show', id])).out).toContain('bring it within the bounds');
    expect(await house.fleet(['task', 'retry', id])).toMatchObject({ code: 5, err: expect.stringContaining('role admin') });
    await house.ok(['config', 'set', 'bounds_role.admin.executors=claude,scripted']);
    await house.ok(['task', 'retry', id]);
    expect((await house.rest(id)).phase.state).toBe('done');
  });

  boxed('hold for a token that types commands, and the sandbox and budget they add are shown', async () => {
    await using house = await workHouse();
    await house.ok(['config', 'set', 'bounds_role.worker.sandbox=required', 'bounds_role.worker.max_budget_usd=2.5']);
    const where = await whereIs(house);
    const token = await tokenFor(where, 'a worker', 'worker');
    const env = { FLEET_HOME: join(house.directory, 'elsewhere'), FLEET_URL: where.url, FLEET_TOKEN: token };
    const create = (...more: string[]) =>
      house.fleet(['task', 'create', '--project', 'shop', '--prompt', 'done', '--draft', ...more], { env });
    expect(await create('--no-sandbox')).toMatchObject({
      code: 5,
      err: expect.stringContaining('role worker allow nothing without'),
    });
    expect(await create('--max-budget-usd', '3')).toMatchObject({
      code: 5,
      err: expect.stringContaining('at most $2.5, not $3'),
    });
    const { id } = (await create('--json')).json<{ id: string }>();
    const { out } = await house.ok(['task', 'show', id]);
    expect(out).toMatch(/sandbox/i);
    expect(out).toContain('$2.5');
  });
});

boxed('the commands of the guide do what it says', async () => {
  await using house = await workHouse();
  const bin = join(house.directory, 'bin');
  await mkdir(bin);
  const program = join(root, 'dist', 'fleet.mjs');
  await writeFile(join(bin, 'fleet'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, { mode: 0o755 });
  const guide = await readFile(join(root, 'docs/guide/bounds.md'), 'utf8');
  const blocks = [...guide.matchAll(/^```sh\n(.*?)^```/gms)].map((match) => match[1] ?? '');
  expect(blocks).toHaveLength(2);
  const { stdout } = await promisify(execFile)('bash', ['-c', ['set -euo pipefail', ...blocks].join('\n')], {
    cwd: house.directory,
    env: { ...house.env, PATH: `${bin}:${house.env['PATH']}`, COLUMNS: '300' },
  });
  expect(stdout).toContain('worker={"executors":["claude","codex"],"sandbox":"required","max_budget_usd":5}');
  expect(stdout).toMatch(/Only by +claude, codex/);
  expect(stdout).toMatch(/At most +\$10 for each task/);
});
