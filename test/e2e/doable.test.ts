import { mkdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCommand } from '../../src/app/find-program.ts';
import { type CliHouse, cliHouse } from '../support/cli-house.ts';
import { overHttp, whereIs } from '../support/mcp-house.ts';

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
      expect(stderr).toContain(`the directory you are in is gone: ${gone} was deleted`);
      expect(stderr).not.toContain('ENOENT');
      expect(status).toBe(2);
    }
    expect((await inGone('status')).json()).toMatchObject({ status: 0, stdout: expect.stringContaining('No projects') });
    await rm(gone, { recursive: true });
  });
});

describe('fleet without a word', () => {
  it('says where it is, what it sees and what to type, and makes no database', async () => {
    await using house = await cliHouse();
    const repository = await house.repository('shop');
    const outside = await house.ok([]);
    expect(outside.out).toContain('which is in no repository');
    const unknown = await house.ok([], { cwd: repository });
    expect(unknown.out).toMatch(/shop, branch main[^]*not one yet[^]*fleet project add \./);
    await expect(stat(join(house.home, 'fleet.db'))).rejects.toThrow('ENOENT');
    await house.ok(['project', 'add', '.'], { cwd: repository });
    await house.ok(['task', 'create', 'a first task', '--draft'], { cwd: repository });
    const known = await house.ok([], { cwd: repository });
    expect(known.out).toMatch(/Project +shop[^]*Tasks +1 draft[^]*fleet task create/);
    expect((await house.ok(['--json'], { cwd: repository })).json()).toMatchObject({ project: 'shop', tasks: { draft: 1 } });
    expect((await house.ok(['--help'])).out).toContain('Usage: fleet NOUN VERB');
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

interface Seen {
  readonly id: string;
  readonly warnings?: readonly string[];
  readonly heldUp?: string;
  readonly phase: { readonly state: string };
}

/** A machine with git and a shell, and no agent on it. */
async function bareMachine(): Promise<{ house: CliHouse; bin: string; install(name: string, script: string): Promise<void> }> {
  const house = await cliHouse();
  const bin = join(house.directory, 'bin');
  await mkdir(bin);
  for (const name of ['git', 'sh']) await symlink(findCommand(name, process.env) ?? '', join(bin, name));
  house.env['PATH'] = bin;
  return { house, bin, install: (name, script) => writeFile(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 }) };
}

const create = async (house: CliHouse, ...flags: string[]) =>
  (await house.ok(['task', 'create', 'do it', '--json', ...flags])).json<Seen>();

describe('a task nobody here can do', () => {
  it('says so when it is made, shown, listed and waited for, through every door [API-01] [EXEC-05]', async () => {
    const { house } = await bareMachine();
    await using _ = house;
    await house.ok(['up', '--background']);
    try {
      const why = 'its program claude was not found';
      const { id, warnings } = await create(house);
      expect(warnings).toEqual([expect.stringContaining(`executor claude cannot be started here: ${why}`)]);
      expect((await house.ok(['task', 'create', 'do it', '--draft'])).out).toContain(
        `! executor claude cannot be started here: ${why}`,
      );
      const shown = (await house.ok(['task', 'show', id, '--json'])).json<Seen>();
      expect(shown).toMatchObject({ heldUp: expect.stringContaining(why), warnings });
      expect((await house.ok(['status'])).out).toContain(why);
      const waited = await house.fleet(['task', 'wait', id]);
      expect(waited).toMatchObject({ code: 4, err: expect.stringContaining(why) });
      const later = (await house.ok(['task', 'create', 'then', '--after', id, '--json'])).json<Seen>();
      expect(await house.fleet(['task', 'wait', later.id])).toMatchObject({ code: 4, err: expect.stringContaining(why) });
      const where = await whereIs(house);
      const answer = await fetch(`${where.url}/v1/tasks`, {
        method: 'POST',
        headers: { authorization: `Bearer ${where.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ prompt: 'x', directory: house.directory }),
      });
      expect(await answer.json()).toMatchObject({ warnings });
      await using way = await overHttp(where, 'auto');
      const made = await way.call<{ task: Seen; warnings: string[] }>('task_create', { prompt: 'x', directory: house.directory });
      expect(made.warnings).toEqual(warnings);
      const stuck = await way.call('task_wait', { ids: [made.task.id], timeoutSeconds: 600 });
      expect(stuck).toMatchObject({ state: 'stuck', tasks: [{ words: expect.stringContaining(why) }] });
    } finally {
      await house.ok(['up', '--stop']);
    }
  });

  it('names an agent that is signed out, broken or unknown, and a sandbox that cannot be made', async () => {
    const { house, install } = await bareMachine();
    await using _ = house;
    await install('claude', 'echo 2.0.0');
    expect((await create(house, '--draft')).warnings).toEqual([
      expect.stringMatching(/^executor claude is not ready: it is not signed in; try: claude/),
    ]);
    house.env['ANTHROPIC_API_KEY'] = 'sk-none';
    expect((await create(house, '--draft')).warnings).toBeUndefined();
    expect(await house.fleet(['task', 'create', 'do it', '--draft', '--sandbox'])).toMatchObject({
      code: 7,
      err: expect.stringContaining('no sandbox can be made here: bubblewrap was not found; try:'),
    });
    await install('claude', 'echo not today >&2; exit 3');
    const broken = await create(house, '--draft');
    expect(broken.warnings).toEqual([expect.stringContaining('ended with exit code 3: not today')]);
    await house.ok(['init']);
    const bogus = join(house.home, 'executors', 'bogus.toml');
    await writeFile(bogus, 'command = ["bogus-agent"]\n', { mode: 0o600 });
    await house.ok(['config', 'set', 'executor=bogus']);
    await rm(bogus);
    const unknown = await create(house);
    expect(unknown.warnings).toEqual([expect.stringContaining('there is no executor of that name')]);
    expect(await house.fleet(['task', 'wait', unknown.id])).toMatchObject({
      code: 4,
      err: expect.stringContaining('no executor bogus'),
    });
  });

  it('starts by itself soon after its program was installed, without a restart [EXEC-05]', async () => {
    const { house, install } = await bareMachine();
    await using _ = house;
    await house.ok(['init']);
    await writeFile(join(house.home, 'executors', 'late.toml'), 'command = ["late-agent", "{prompt}"]\n', { mode: 0o600 });
    await house.ok(['up', '--background']);
    try {
      const { id, warnings } = await create(house, '--executor', 'late');
      expect(warnings).toEqual([expect.stringContaining('its program late-agent was not found')]);
      expect((await house.fleet(['task', 'wait', id])).code).toBe(4);
      await install('late-agent', 'exit 0');
      const { effective } = (await house.ok(['task', 'show', id, '--json'])).json<{ effective: object }>();
      expect(effective).toEqual({ executor: 'late', executorFrom: 'the task' });
      await house.fleet(['task', 'wait', id, '--timeout', '120']);
      const { items } = (await house.ok(['run', 'list', '--task', id, '--json'])).json<{ items: object[] }>();
      expect(items.length).toBeGreaterThan(0);
    } finally {
      await house.ok(['up', '--stop']);
    }
  });
});
