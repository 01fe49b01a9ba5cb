import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { inFullRun } from '../../../test/full-only.ts';
import { bundlePrograms } from '../../platform/bundle.ts';
import { type GitGround, gitGround } from '../fixtures/git-ground.ts';
import { advance } from './advance.ts';

const PROGRAM = fileURLToPath(
  new URL(
    'landing.mjs',
    bundlePrograms({
      landing: new URL('../fixtures/landing-program.ts', import.meta.url),
      'git-helper': new URL('../git/git-helper.ts', import.meta.url),
    }),
  ),
);

const start = (args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess =>
  spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) =>
    child.exitCode === null && child.signalCode === null ? child.once('exit', () => resolve()) : resolve(),
  );

const said = (child: ChildProcess): Promise<void> => new Promise((resolve) => child.stdout?.once('data', () => resolve()));

/** All of it, the gits it started too. */
function killAll(child: ChildProcess): void {
  try {
    process.kill(-(child.pid ?? 0), 'SIGKILL');
  } catch {
    // It was faster.
  }
}

/** Files added, changed, removed, made longer, turned into links and directories: a bit of each in every step. */
const filesOf = (step: number): Record<string, string | null> => ({
  ...Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`many/${n}.txt`, `${step} ${n}\n`.repeat(200)])),
  'big.txt': `${step}\n`.repeat(500_000),
  [`only/${step}/deep.txt`]: `${step}\n`,
  [`only/${step - 1}/deep.txt`]: null,
  ...(step % 2 === 0 ? { 'either/file': 'below\n' } : { either: 'beside\n' }),
});

async function steps(ground: GitGround, count: number): Promise<{ repo: string; commits: string[] }> {
  const repo = await ground.repository('repo', filesOf(0));
  await ground.git(repo, 'checkout', '-q', '-b', 'work');
  const commits = [await ground.git(repo, 'rev-parse', 'main')];
  for (let step = 1; step <= count; step += 1) {
    await ground.write(repo, { either: null });
    await ground.write(repo, filesOf(step));
    await ground.git(repo, 'add', '-A');
    await ground.git(repo, 'commit', '-q', '-m', `step ${step}`);
    commits.push(await ground.git(repo, 'rev-parse', 'HEAD'));
  }
  await ground.git(repo, 'checkout', '-q', 'main');
  return { repo, commits };
}

async function expectWhole(ground: GitGround, repo: string, commit: string): Promise<void> {
  expect(await ground.git(repo, 'rev-parse', 'main')).toBe(commit);
  expect(await ground.git(repo, 'status', '--porcelain=v2', '--branch')).toBe(`# branch.oid ${commit}\n# branch.head main`);
  const left = (await readdir(join(repo, '.git'), { recursive: true })).filter((name) => /\.lock|\.fleet-|heir/.test(name));
  expect(left).toEqual([]);
}

describe('a landing that is killed', () => {
  const rounds = inFullRun ? 120 : 12;

  it('at any moment is ended by landing again [WORK-08] [R29]', async () => {
    await using ground = await gitGround();
    const { repo, commits } = await steps(ground, 6);
    let torn = 0;
    for (let round = 0; round < rounds; round += 1) {
      const [from = '', to = ''] = [commits[round % 6], commits[(round % 6) + 1]];
      const move = { branch: 'main', from, to, why: `round ${round}` };
      const child = start(['ADVANCE', repo, JSON.stringify(move)], ground.env);
      await said(child);
      // When it dies is left to chance; that it is dead is waited for.
      await waitMs((round * 37) % 180);
      // Every third time its git lives on for a while, as an orphan that still has files to write.
      if (round % 3 === 2) child.kill('SIGKILL');
      else killAll(child);
      await ended(child);
      torn += (await readdir(join(repo, '.git'))).includes('index.lock') ? 1 : 0;
      expect(await advance(repo, move, ground.env)).toEqual({ state: 'moved', checkout: repo });
      await expectWhole(ground, repo, to);
      if (round % 6 === 5) await ground.git(repo, 'reset', '-q', '--hard', commits[0] ?? '');
    }
    expect(await ground.git(repo, 'fsck', '--strict')).not.toMatch(/error|missing|corrupt/);
    expect(torn).toBeGreaterThan(0);
  });
});

describe('a landing whose process is killed while it holds the index of a checkout', () => {
  it('leaves no lock: its git helper ends the move, and people commit without a new start [WORK-08] [R29]', async () => {
    await using ground = await gitGround();
    const { repo, commits } = await steps(ground, 1);
    const [from = '', to = ''] = commits;
    const lock = join(repo, '.git', 'index.lock');
    const move = { branch: 'main', from, to, why: 'killed' };
    let torn = 0;
    for (let round = 0; torn < 4; round += 1) {
      expect(round, 'it was never killed while it held the lock').toBeLessThan(100);
      const child = start(['BY_HELPER', repo, JSON.stringify(move)], ground.env);
      await said(child);
      while (!existsSync(lock) && child.exitCode === null) await nextTurn();
      // From the moment it has the lock on, over the files that are moved, to the end.
      for (const until = performance.now() + (round % 5) * 12; performance.now() < until && existsSync(lock); ) await nextTurn();
      child.kill('SIGKILL');
      torn += existsSync(lock) ? 1 : 0;
      await ended(child);
      await vi.waitFor(() => expect(existsSync(lock)).toBe(false), { timeout: 60_000, interval: 5 });
      const main = await ground.git(repo, 'rev-parse', 'main');
      expect([from, to]).toContain(main);
      await expectWhole(ground, repo, main);
      await ground.git(repo, 'commit', '-q', '--allow-empty', '-m', 'by a person');
      await ground.git(repo, 'reset', '-q', '--hard', from);
    }
  });
});

describe('many landings at once', () => {
  it('land exactly what does not conflict, each once, though processes die in the middle [R30] [WORK-06] [WORK-08]', async () => {
    await using ground = await gitGround();
    const repo = await ground.repository('repo', { 'shared.txt': 'shared\n', 'a.txt': 'a\n' });
    const first = await ground.git(repo, 'rev-parse', 'main');
    // The first to land of those who change the shared line wins; the target already holds another change of it.
    const taken = await ground.commit(repo, first, { 'shared.txt': 'taken\n' });
    await ground.git(repo, 'reset', '-q', '--hard', taken);
    const clean: string[] = [];
    const conflicting: string[] = [];
    for (let n = 0; n < 20; n += 1) {
      const clashes = n % 4 === 3;
      const tip = await ground.commit(
        repo,
        first,
        clashes ? { 'shared.txt': `mine ${n}\n` } : { [`new/${n}.txt`]: `${n}\n` },
        `work ${n}`,
      );
      (clashes ? conflicting : clean).push(tip);
    }
    const tips = [...clean, ...conflicting].join(',');
    const racers = inFullRun ? 4 : 3;
    for (let round = 0; round < (inFullRun ? 12 : 4); round += 1) {
      const children = Array.from({ length: racers }, (_, n) => start(['RACE', repo, String(round * 10 + n), tips], ground.env));
      await Promise.all(children.map(said));
      await waitMs(300 + ((round * 211) % 900));
      for (const child of children) killAll(child);
      await Promise.all(children.map(ended));
    }
    const last = Array.from({ length: racers }, (_, n) => start(['RACE', repo, String(n), tips], ground.env));
    await Promise.all(last.map(ended));
    expect(last.map(({ exitCode }) => exitCode)).toEqual(last.map(() => 0));
    const landed = (await ground.git(repo, 'log', '--first-parent', '--merges', '--format=%P', `${taken}..main`)).split('\n');
    expect(landed).toHaveLength(clean.length);
    expect(new Set(landed.map((parents) => parents.split(' ')[1]))).toEqual(new Set(clean));
    // Where all had landed before the last of them was killed, nobody has looked at its lock since: an engine repeats the move it was at.
    const [to, from] = (await ground.git(repo, 'rev-parse', 'main', 'main^1')).split('\n');
    const again = { branch: 'main', from: from ?? '', to: to ?? '', why: 'again' };
    expect(await advance(repo, again, ground.env)).toEqual({ state: 'moved', checkout: repo });
    await expectWhole(ground, repo, to ?? '');
    expect(await ground.git(repo, 'fsck', '--strict')).not.toMatch(/error|missing|corrupt/);
    expect((await readdir(join(repo, 'new'))).length).toBe(clean.length);
  });
});

const waitMs = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
