import { execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { inFullRun } from '../../../test/full-only.ts';
import { type Ground, ground } from '../fixtures/ground.ts';
import { withLock } from '../locks/repository-lock.ts';
import { provision } from './provision.ts';
import { removeSite } from './remove-site.ts';

const PROGRAM = fileURLToPath(new URL('../fixtures/lay-out-many.ts', import.meta.url));
const plain = { copyFiles: [], setupPaths: [] };
const run = promisify(execFile);

const layOutElsewhere = async (at: Ground, from: number, to: number) => {
  const root = join(at.root, 'fleet/workspaces/shop');
  const args = ['--import', 'tsx', PROGRAM, at.repository, root, at.start, String(from), String(to)];
  const { stdout } = await run(process.execPath, args, { env: at.env, cwd: process.cwd() });
  return JSON.parse(stdout) as { made: number; failed: string[] };
};

/** Git lists worktrees and then looks at each; it gives up when one has gone between the two, also by its own `git worktree remove`. */
const GONE_WHILE_LISTED = /^fatal: Invalid path '.*\/worktrees\/fleet-[^/]*': No such file or directory$/m;

async function asPerson(at: Ground, args: readonly string[]): Promise<void> {
  for (;;)
    try {
      return void (await run('git', args, { cwd: at.repository, env: at.env }));
    } catch (error) {
      if (!(error instanceof Error && GONE_WHILE_LISTED.test(error.message))) throw error;
    }
}

/** What somebody else does in the repository meanwhile. Answers what went wrong. */
function bystander(at: Ground): { stop(): Promise<{ calls: number; failures: string[] }> } {
  let going = true;
  let calls = 0;
  const failures: string[] = [];
  const turns = (async () => {
    while (going) {
      for (const args of [
        ['worktree', 'list'],
        ['branch', `by/${calls}`],
        ['status', '--short'],
        ['branch', '-D', `by/${calls}`],
      ]) {
        calls += 1;
        await asPerson(at, args).catch((error: Error) => failures.push(error.message));
      }
    }
  })();
  return {
    stop: async () => {
      going = false;
      await turns;
      return { calls, failures };
    },
  };
}

it('lays out fifty at once from three processes, and a bystander notices nothing [WORK-12] [R28]', async () => {
  using at = ground(Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`dir${n % 7}/file${n}.txt`, `text ${n}\n`])));
  const rounds = inFullRun ? 4 : 1;
  for (let round = 0; round < rounds; round += 1) {
    const beside = bystander(at);
    const first = round * 50;
    const all = await Promise.all([
      layOutElsewhere(at, first, first + 17),
      layOutElsewhere(at, first + 17, first + 34),
      layOutElsewhere(at, first + 34, first + 50),
    ]);
    const { calls, failures } = await beside.stop();
    expect(all.flatMap(({ failed }) => failed)).toEqual([]);
    expect({ failures, some: calls > 0 }).toEqual({ failures: [], some: true });
  }
  const branches = at.git(at.repository, 'for-each-ref', '--format=%(refname)', 'refs/heads').split('\n');
  expect(branches).toHaveLength(rounds * 50 + 1);
  expect(at.git(at.repository, 'worktree', 'list').split('\n')).toHaveLength(rounds * 50 + 1);
  for (const n of [0, 16, 34, 49])
    expect(at.git(join(at.root, 'fleet/workspaces/shop', String(n)), 'status', '--porcelain', '-b')).toBe(`## x/task/${n}`);
  expect(at.git(at.repository, 'worktree', 'prune', '-v')).toBe('');
  expect(readdirSync(join(at.repository, '.git')).filter((name) => name.startsWith('fleet-'))).toEqual([]);
});

it('takes away and lays out at the same time, and leaves the worktrees of the user alone [R32]', async () => {
  using at = ground();
  const mine = join(at.root, 'fleet/workspaces/shop/mine');
  at.git(at.repository, 'worktree', 'add', '-q', '-b', 'mine', mine);
  writeFileSync(join(mine, 'a.txt'), 'not committed\n');
  const beside = bystander(at);
  const cycle = async (n: number) => {
    for (let round = 0; round < 4; round += 1) {
      await provision(at.site(String(n)), { branch: `x/${n}/${round}`, start: at.start, ...plain }, at.env);
      await removeSite(at.site(String(n)), { trash: at.trash }, at.env);
    }
  };
  await Promise.all([1, 2, 3, 4, 5].map(cycle));
  expect((await beside.stop()).failures).toEqual([]);
  expect(at.git(at.repository, 'worktree', 'list').split('\n')).toHaveLength(2);
  expect(readFileSync(join(mine, 'a.txt'), 'utf8')).toBe('not committed\n');
  const taken = { ...at.site('mine'), id: 'ws_mine' };
  await expect(provision(taken, { branch: 'x/y', start: at.start, ...plain }, at.env)).rejects.toThrow(/was not made by Fleet/);
  await expect(removeSite(taken, { trash: at.trash }, at.env)).rejects.toThrow(/was not made by Fleet/);
});

it('takes the lock of a dead process at once, and waits for a living one', async () => {
  using at = ground();
  const place = join(at.root, 'lock');
  const holder = spawn(process.execPath, ['--import', 'tsx', '-e', HOLD, place], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: process.cwd(),
  });
  await new Promise((resolve) => holder.stdout.once('data', resolve));
  let got = false;
  const waiting = withLock(place, async () => {
    got = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(got).toBe(false);
  holder.kill('SIGKILL');
  await waiting;
  expect(got).toBe(true);
  const order: number[] = [];
  await Promise.all([1, 2, 3, 4].map((n) => withLock(place, async () => void order.push(n))));
  expect(order).toEqual([1, 2, 3, 4]);
});

const HOLD = `
  import { withLock } from ${JSON.stringify(new URL('../locks/repository-lock.ts', import.meta.url).href)};
  withLock(process.argv[1], () => new Promise(() => { process.stdout.write('held'); setInterval(() => {}, 1000); }));
`;
