import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { root } from '../../tools/paths.mjs';
import { isThere } from '../fixtures/fault-house.ts';
import { fullOnly } from '../full-only.ts';
import { type Answer, type CliHouse, cliHouse } from '../support/cli-house.ts';

const PROGRAM = join(root, 'dist', 'fleet.mjs');

interface Up {
  readonly started: boolean;
  readonly running: boolean;
  readonly stopped: boolean;
  readonly pid: number;
  readonly host: string;
  readonly home: string;
  readonly log?: string;
  readonly url?: string;
  readonly socket?: string;
  readonly version?: string;
}

interface House extends CliHouse {
  /** `fleet up` with a switch; whatever it started goes with the house. */
  up(word: string, env?: Record<string, string>): Promise<Answer>;
}

async function upHouse(): Promise<House> {
  const house = await cliHouse();
  const pids = new Set<number>();
  return {
    ...house,
    up: async (word, env = {}) => {
      const answer = await house.fleet(['up', word, '--json'], { env });
      const pid = answer.code === 0 ? answer.json<Up>().pid : undefined;
      if (pid !== undefined) pids.add(pid);
      return answer;
    },
    [Symbol.asyncDispose]: async () => {
      for (const pid of [...pids].filter(isEngine)) process.kill(pid, 'SIGKILL');
      await vi.waitFor(() => expect([...pids].filter(isThere)).toEqual([]), 10_000);
      await house[Symbol.asyncDispose]();
    },
  };

  function isEngine(pid: number): boolean {
    return isThere(pid) && environment(pid).includes(`FLEET_HOME=${house.home}`);
  }
}

const environment = (pid: number): string[] => readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
const status = async (house: House) => {
  const { code, json } = await house.up('--status');
  return { code, ...json<Up>() };
};

describe('fleet up --background', () => {
  it('runs on by itself, does the work, is found and stopped, and its agents outlive it', async () => {
    await using house = await upHouse();
    expect(await status(house)).toMatchObject({ code: 3, running: false, home: house.home });
    const begun = (await house.up('--background', { FLEET_RUN_ID: 'run_x', FLEET_TASK_ID: 'task_x' })).json<Up>();
    expect(begun).toMatchObject({ started: true, home: house.home });
    expect(await status(house)).toMatchObject({ code: 0, running: true, pid: begun.pid, host: begun.host });
    await vi.waitFor(async () => expect(await status(house)).toHaveProperty('url'), 10_000);
    const { url, socket, version } = await status(house);
    expect((await (await fetch(`${url}/health`)).json()) as object).toMatchObject({ version });
    expect(socket).toBe(join(house.home, 'fleet.sock'));
    const stat = (await readFile(`/proc/${begun.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
    // Closing the terminal of whoever started it does not reach it.
    expect(Number(stat[3])).toBe(begun.pid);
    expect(environment(begun.pid).filter((entry) => /^FLEET_(RUN|TASK)/.test(entry))).toEqual([]);
    const go = join(house.directory, 'go');
    const scenario = ['say begun', `sh until [ -e '${go}' ]; do sleep 0.1; done`, 'done'].join('\n');
    const prompt = `\`\`\`scenario\n${scenario}\n\`\`\``;
    const create = ['task', 'create', '--directory', house.directory, '--executor', 'scripted', '--prompt', prompt, '--json'];
    const { id } = (await house.ok(create)).json<{ id: string }>();
    const state = async () => (await house.ok(['task', 'show', id, '--json'])).json<{ phase: { state: string } }>().phase.state;
    await vi.waitFor(async () => expect((await house.ok(['task', 'log', id])).out).toContain('begun'), 40_000);
    expect((await house.up('--stop')).json<Up>()).toMatchObject({ stopped: true, pid: begun.pid });
    expect(isThere(begun.pid)).toBe(false);
    expect(await status(house)).toMatchObject({ code: 3, running: false });
    expect(await state()).toBe('running');
    expect((await house.up('--stop')).json<Up>()).toEqual({ stopped: false });
    await house.up('--background');
    await writeFile(go, '');
    await vi.waitFor(async () => expect(await state()).toBe('done'), 40_000);
    const log = (await readFile(begun.log ?? '', 'utf8')).trim().split('\n');
    expect(log.map((line) => JSON.parse(line) as { event: string }).map(({ event }) => event)).toContain('engine.stopped');
    expect((await house.ok(['log'])).out).toContain('engine.started');
    expect((await house.up('--stop')).code).toBe(0);
  });

  fullOnly('is also what start.sh does, from anywhere and through a link', async () => {
    await using house = await upHouse();
    const link = join(house.directory, 'start it');
    await symlink(join(root, 'start.sh'), link);
    const start = (word: string) => {
      const {
        status: code,
        stdout,
        stderr,
      } = spawnSync(link, [word, '--json'], {
        cwd: house.directory,
        env: house.env,
        encoding: 'utf8',
      });
      if (stdout === '') throw new Error(stderr);
      return { code, ...(JSON.parse(stdout) as Up) };
    };
    expect(start('--status')).toMatchObject({ code: 3, running: false, home: house.home });
    const { pid } = start('--background');
    try {
      expect(start('--status')).toMatchObject({ code: 0, running: true, pid });
    } finally {
      expect(start('--stop')).toMatchObject({ code: 0, stopped: true, pid });
    }
  });

  fullOnly('is there once, however often and however many at once ask for it [R14]', async () => {
    await using house = await upHouse();
    const answers = await Promise.all(Array.from({ length: 4 }, () => house.up('--background')));
    expect(answers.map(({ code, err }) => ({ code, err }))).toEqual(answers.map(() => ({ code: 0, err: '' })));
    const all = answers.map(({ json }) => json<Up>());
    expect(new Set(all.map(({ pid }) => pid)).size).toBe(1);
    expect(all.filter(({ started }) => started)).toHaveLength(1);
    const again = (await house.up('--background')).json<Up>();
    expect(again).toMatchObject({ started: false, pid: all[0]?.pid });
    const beside = await house.fleet(['up']);
    expect(beside.code).toBe(4);
    expect(beside.err).toContain(`process ${again.pid}`);
    expect(await house.fleet(['up', '--background'])).toMatchObject({
      code: 0,
      out: expect.stringContaining(`fleet is up already: process ${again.pid}`),
    });
  });

  it('comes at once after one that was killed, and nobody takes the dead one for alive [RUN-02]', async () => {
    await using house = await upHouse();
    const dead = (await house.up('--background')).json<Up>();
    process.kill(dead.pid, 'SIGKILL');
    await vi.waitFor(() => expect(isThere(dead.pid)).toBe(false), 10_000);
    expect(await status(house)).toMatchObject({ code: 3, running: false });
    expect((await house.up('--stop')).json<Up>()).toEqual({ stopped: false });
    const next = (await house.up('--background')).json<Up>();
    expect(next.started).toBe(true);
    expect(next.pid).not.toBe(dead.pid);
    expect(await status(house)).toMatchObject({ code: 0, pid: next.pid });
  });

  it('says why it could not begin, and leaves nothing running', async () => {
    await using house = await upHouse();
    await house.ok(['init']);
    await writeFile(join(house.home, 'bin'), 'a file where a directory must be');
    const failed = await house.fleet(['up', '--background']);
    expect(failed.code).toBe(7);
    expect(failed.err).toContain('the engine ended as soon as it had begun');
    expect(failed.err).toMatch(/EEXIST|ENOTDIR|not a directory/);
    expect(failed.err).toContain(join(house.home, 'logging'));
    expect(await status(house)).toMatchObject({ code: 3 });
    const both = await house.fleet(['up', '--background', '--stop']);
    expect(both).toMatchObject({ code: 2, err: expect.stringContaining('choose one of') });
    const elsewhere = await house.up('--background', { FLEET_HOME: join(house.home, 'bin', 'home') });
    expect(elsewhere.code).toBe(7);
    expect(elsewhere.err + elsewhere.out).toContain('a part of the path is a file');
  });

  it.skipIf(process.getuid?.() !== 0)('refuses a home that this user may not write to, and says so', async () => {
    await using house = await upHouse();
    const home = join(house.directory, 'of root');
    await mkdir(home, { mode: 0o755 });
    await chmod(house.directory, 0o755);
    const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
    const program = `import { spawnSync } from 'node:child_process';
      const [command, ...args] = ${JSON.stringify(asNobody)};
      const done = spawnSync(command, [...args, process.execPath, ...process.argv.slice(1)], { env: { ...process.env, FLEET_HOME: ${JSON.stringify(home)} } });
      process.stdout.write(JSON.stringify({ code: done.status, err: String(done.stderr) }));`;
    const asked = ['--input-type=module', '-e', program, '--', PROGRAM, 'up', '--background'];
    const { code, err } = (await house.node(asked)).json<{ code: number; err: string }>();
    expect({ code, err }).toEqual({ code: 7, err: expect.stringContaining('this user may not write there') });
  });

  fullOnly('that does not leave is not waited for without end, and how to end it is said', async () => {
    await using house = await upHouse();
    const { pid } = (await house.up('--background')).json<Up>();
    process.kill(pid, 'SIGSTOP');
    const late = await house.fleet(['up', '--stop']);
    expect(late).toMatchObject({ code: 7, err: expect.stringContaining(`kill -9 ${pid}`) });
    process.kill(pid, 'SIGCONT');
    await vi.waitFor(() => expect(isThere(pid)).toBe(false), 10_000);
  });
});
