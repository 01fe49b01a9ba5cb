import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FaultHouse } from '../fixtures/fault-house.ts';
import { boxed, boxHouse } from '../support/box-house.ts';

const NOBODY = 65_534;
/** Only there the agent is somebody else than Fleet. */
const asRoot = (title: string, body: () => Promise<void>): void =>
  process.getuid?.() === 0 ? boxed(title, body) : it.skip(`${title}; not run: only as root`);

interface Item {
  readonly name: string;
  readonly state: string;
  readonly detail?: string;
  readonly repair?: string;
}

const doctor = async (house: FaultHouse): Promise<Readonly<Record<string, Item>>> => {
  const { items } = JSON.parse((await house.fleet(['doctor', '--json'])).out) as { items: Item[] };
  return Object.fromEntries(items.map((item) => [item.name, item]));
};

const page = async (house: FaultHouse, name: string) =>
  (await house.ok(['executor', 'show', name, '--json'])).json<{ sandbox?: { works: boolean; repair?: string } }>().sandbox;

/** A house of root's, and a directory on the path that holds this program. */
async function houseWith(program: string, text: string, mode: number): Promise<{ house: FaultHouse; bin: string }> {
  const house = await boxHouse(['sandbox_as_root=false']);
  const bin = join(house.directory, 'own bin');
  await mkdir(bin);
  await mkdir(join(house.directory, 'its own'));
  const file = join(house.directory, 'its own', program);
  await writeFile(file, text);
  await chmod(file, 0o755);
  await symlink(file, join(bin, program));

  await chmod(bin, mode);
  const env: Record<string, string> = house.env;
  env['PATH'] = `${bin}:${env['PATH']}`;
  await chown(house.work, NOBODY, NOBODY);
  return { house, bin };
}

describe('whether an agent can work in a sandbox', () => {
  asRoot(
    'is told with what keeps it from that, by the doctor, its page and the run; and the repair is one [EXEC-05] [RUN-16]',
    async () => {
      const { house: made, bin } = await houseWith('tiny', '#!/bin/sh\nexec /bin/sh "$1"\n', 0o700);
      await using house = made;
      await writeFile(join(house.home, 'executors', 'tiny.toml'), 'command = ["tiny", "{prompt_file}"]\n');
      await house.up();
      const before = (await doctor(house))['tiny in it'];
      const why = `${bin} may not be entered by nobody (sandbox_user), as whom it would run`;
      expect(before).toMatchObject({ state: 'broken', detail: why, repair: `chmod o+x '${bin}'` });
      expect(await page(house, 'tiny')).toEqual({ works: false, problem: why, repair: before?.repair });
      expect((await house.ok(['executor', 'show', 'tiny'])).out.replaceAll(/\s+/g, ' ')).toContain('does not work: ');
      const words = ['--executor', 'tiny', '--sandbox'];
      const refused = await house.create('touch ran; exit 0', ...words);
      await house.settled([refused]);
      const [last] = await house.runs(refused);
      expect(last?.phase).toMatchObject({ outcome: 'refused', detail: expect.stringContaining(why) });
      execFileSync('/bin/sh', ['-c', before?.repair ?? 'exit 1']);
      expect((await doctor(house))['in sandbox']).toMatchObject({ state: 'ok', detail: expect.stringContaining('tiny') });
      const limits = expect.stringMatching(/^memory, processes and disk are measured from outside; held by the kernel: /);
      expect(await page(house, 'tiny')).toEqual({ works: true, limits });
      const works = await house.create('id -u; exit 0', ...words);
      await house.settled([works]);
      expect(await house.said(works)).toBe(`${NOBODY}\n`);
    },
  );

  asRoot('depends on whose its log-in is, which its program may renew in place [EXEC-05] [RUN-16]', async () => {
    const { house: made } = await houseWith('claude', '#!/bin/sh\necho 9.8.7\n', 0o755);
    await using house = made;
    const logIn = join(house.env['HOME'] ?? '', '.claude', '.credentials.json');
    await mkdir(join(logIn, '..'));
    await writeFile(logIn, '{}', { mode: 0o600 });
    const before = (await doctor(house))['claude in it'];
    expect(before).toMatchObject({
      state: 'broken',
      detail: expect.stringContaining(`it is to change ${logIn}, which does not belong to nobody`),
      repair: `chown nobody '${logIn}'`,
    });
    execFileSync('/bin/sh', ['-c', before?.repair ?? 'exit 1']);
    expect((await doctor(house))['in sandbox']).toMatchObject({ state: 'ok', detail: expect.stringContaining('claude') });
  });
});
