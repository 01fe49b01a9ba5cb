import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { boxed, boxHouse } from '../support/box-house.ts';
import { whereIs } from '../support/mcp-house.ts';

describe('whoever hands in a sandboxed task that would share the git directory of its project', () => {
  boxed('is refused, on the command line and over HTTP, by what the task says and not by defaults [RUN-16] [T12]', async () => {
    await using house = await boxHouse();
    const repo = await house.repository('shop');
    await house.ok(['project', 'add', repo, '--name', 'shop', '--isolation', 'worktree']);
    await house.up();
    const where = await whereIs(house);
    const post = async (path: string, body: object) => {
      const answer = await fetch(`${where.url}/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${where.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return (await answer.json()) as { status?: number; detail?: string; id?: string; isolation?: string; trust?: string };
    };
    const words = ['task', 'create', 'x', '--draft', '--project', 'shop', '--sandbox'];
    for (const isolation of ['worktree', 'in_place']) {
      const why = expect.stringContaining('a task in a sandbox works in a private clone of shop');
      expect(await house.fleet([...words, '--isolation', isolation])).toMatchObject({ code: 2, err: why });
      const wish = { prompt: 'x', project: 'shop', draft: true, sandbox: true };
      expect(await post('tasks', { ...wish, isolation })).toMatchObject({ status: 400, detail: why });
      const { id = '', ...made } = await post('tasks', wish);
      expect(made).toMatchObject({ isolation: 'clone', trust: 'sandboxed' });
      expect(await house.fleet(['task', 'edit', id, '--isolation', isolation])).toMatchObject({ code: 2, err: why });
    }
    expect((await house.ok([...words, '--isolation', 'clone'])).code).toBe(0);
  });

  boxed('is refused in a directory of a repository, with the repository to add [RUN-16] [T12]', async () => {
    await using house = await boxHouse();
    const repo = await house.repository('shop');
    const below = join(repo, 'packages', 'app');
    await mkdir(below, { recursive: true });
    for (const directory of [repo, below])
      expect(await house.fleet(['task', 'create', 'x', '--draft', '--sandbox', '--directory', directory])).toMatchObject({
        code: 2,
        err: expect.stringMatching(/lies in the repository .*fleet project add /),
      });
    expect(await house.fleet(['task', 'create', 'x', '--draft', '--sandbox', '--directory', house.directory])).toMatchObject({
      code: 2,
      err: expect.stringContaining(`holds the repository ${repo}`),
    });
  });
});
