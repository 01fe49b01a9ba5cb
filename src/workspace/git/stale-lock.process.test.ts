import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type GitGround, gitGround, merged } from '../fixtures/git-ground.ts';
import { advance } from '../land/advance.ts';

async function aMove(ground: GitGround) {
  const repo = await ground.repository();
  const from = await ground.git(repo, 'rev-parse', 'main');
  const to = await merged(repo, from, await ground.commit(repo, from, { 'n.txt': 'n\n' }), ground.env);
  return { repo, move: { branch: 'main', from, to, why: 'land it' } };
}

const LONG_AGO = new Date('2020-01-01');

describe('a lock that a dead git left', () => {
  it.each(['index.lock', 'refs/heads/main.lock', 'HEAD.lock'])(
    '%s is removed once it is old and nobody can own it [R29]',
    async (name) => {
      await using ground = await gitGround();
      const { repo, move } = await aMove(ground);
      const lock = join(repo, '.git', name);
      await writeFile(lock, 'half an index');
      expect(await advance(repo, move, ground.env)).toMatchObject({ state: 'busy', where: repo });
      expect(await ground.git(repo, 'rev-parse', 'main')).toBe(move.from);
      expect(existsSync(lock)).toBe(true);
      await utimes(lock, LONG_AGO, LONG_AGO);
      expect(await advance(repo, move, ground.env)).toEqual({ state: 'moved', checkout: repo });
      expect(existsSync(lock)).toBe(false);
      expect(await ground.git(repo, 'status', '--porcelain')).toBe('');
    },
  );

  it('stays while a process has it open, however old it is [R29]', async () => {
    await using ground = await gitGround();
    const { repo, move } = await aMove(ground);
    const lock = join(repo, '.git/index.lock');
    const file = await open(lock, 'wx');
    await utimes(lock, LONG_AGO, LONG_AGO);
    expect(await advance(repo, move, ground.env)).toMatchObject({ state: 'busy' });
    await file.close();
    expect(await advance(repo, move, ground.env)).toMatchObject({ state: 'moved' });
  });

  it('stays while a git is at work in that checkout [R29]', async () => {
    await using ground = await gitGround();
    const { repo, move } = await aMove(ground);
    const lock = join(repo, '.git/index.lock');
    await writeFile(lock, '');
    await utimes(lock, LONG_AGO, LONG_AGO);
    const waiting = spawn('git', ['cat-file', '--batch'], { cwd: repo, env: ground.env, stdio: ['pipe', 'pipe', 'ignore'] });
    waiting.stdin.write(`${move.from}\n`);
    await new Promise((resolve) => waiting.stdout.once('data', resolve));
    expect(await advance(repo, move, ground.env)).toMatchObject({ state: 'busy' });
    waiting.stdin.end();
    await new Promise((resolve) => waiting.once('exit', resolve));
    expect(await advance(repo, move, ground.env)).toMatchObject({ state: 'moved' });
  });
});
