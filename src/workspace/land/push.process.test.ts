import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type GitGround, gitGround } from '../fixtures/git-ground.ts';
import { pushBranch } from './push.ts';

async function withRemote(ground: GitGround) {
  const repo = await ground.repository();
  const bare = join(ground.path, 'bare.git');
  await ground.git(ground.path, 'init', '-q', '--bare', bare);
  await ground.git(repo, 'remote', 'add', 'origin', bare);
  return { repo, bare };
}

describe('pushing a branch', () => {
  it('goes to the remote given, the one set for the branch, or origin, under its own name [WORK-08]', async () => {
    await using ground = await gitGround();
    const { repo, bare } = await withRemote(ground);
    expect(await pushBranch(repo, { branch: 'main' }, ground.env)).toEqual({ ok: true, remote: 'origin' });
    expect(await pushBranch(repo, { branch: 'main' }, ground.env)).toEqual({ ok: true, remote: 'origin' });
    expect(await ground.git(bare, 'rev-parse', 'main')).toBe(await ground.git(repo, 'rev-parse', 'main'));
    const other = join(ground.path, 'other.git');
    await ground.git(ground.path, 'init', '-q', '--bare', other);
    await ground.git(repo, 'remote', 'add', 'mirror', other);
    await ground.git(repo, 'branch', '-q', 'größe/-x');
    await ground.git(repo, 'config', 'branch.größe/-x.remote', 'mirror');
    expect(await pushBranch(repo, { branch: 'größe/-x' }, ground.env)).toEqual({ ok: true, remote: 'mirror' });
    expect(await ground.git(other, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/größe/-x');
    expect(await pushBranch(repo, { branch: 'main', remote: 'mirror' }, ground.env)).toEqual({ ok: true, remote: 'mirror' });
  });

  it('says in plain words why it did not go', async () => {
    await using ground = await gitGround();
    const { repo, bare } = await withRemote(ground);
    const push = async (branch: string, remote?: string) => (await pushBranch(repo, { branch, remote }, ground.env)).why;
    expect(await push('main', 'nowhere')).toBe('there is no remote "nowhere"');
    expect(await push('nothing')).toBe('there is no such branch here');
    expect(await push('../x')).toBe('"../x" is not the name of a branch');
    await ground.git(repo, 'push', '-q', 'origin', 'main');
    const ahead = await ground.commit(bare, 'main', { 'theirs.txt': 't\n' });
    await ground.git(bare, 'update-ref', 'refs/heads/main', ahead);
    await ground.git(repo, 'commit', '-q', '--allow-empty', '-m', 'mine');
    expect(await push('main')).toMatch(/has commits that are not here/);
    await ground.git(repo, 'config', 'remote.origin.push', '+refs/heads/*:refs/heads/*');
    expect(await push('main')).toMatch(/has commits that are not here/);
    expect(await ground.git(bare, 'rev-parse', 'main')).toBe(ahead);
    await ground.git(bare, 'config', 'receive.denyCurrentBranch', 'refuse');
    await ground.git(repo, 'remote', 'set-url', 'origin', join(ground.path, 'gone.git'));
    expect(await push('main')).toMatch(/gone\.git/);
  });

  it("asks nobody, and uses the user's own helper for credentials", async () => {
    await using ground = await gitGround();
    const repo = await ground.repository();
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.headers.authorization);
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      await ground.git(repo, 'remote', 'add', 'origin', `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.git`);
      expect((await pushBranch(repo, { branch: 'main' }, ground.env)).why).toMatch(/did not accept your credentials/);
      await ground.git(repo, 'config', '--global', 'credential.helper', '!f() { echo username=u; echo password=p; }; f');
      await pushBranch(repo, { branch: 'main' }, ground.env);
      expect(asked).toContain(`Basic ${Buffer.from('u:p').toString('base64')}`);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('runs nothing that the repository or a remote on this machine names [WORK-13] [T11]', async () => {
    await using ground = await gitGround();
    const { repo, bare } = await withRemote(ground);
    const { command } = await ground.canary('push');
    const settings: Record<string, string> = {
      ...{ 'core.sshCommand': command, 'credential.helper': `!${command}`, 'core.askPass': command, 'core.gitProxy': command },
      ...{ 'remote.origin.receivepack': command, 'remote.origin.vcs': 'evil', 'push.gpgSign': 'true', 'gpg.program': command },
      ...{ 'core.fsmonitor': command, 'protocol.ext.allow': 'always', [`url.ext::${command} .insteadOf`]: ground.path },
    };
    for (const [key, value] of Object.entries(settings)) await ground.git(repo, 'config', key, value);
    for (const [place, hooks] of [
      [join(repo, '.git/hooks'), ['pre-push', 'reference-transaction']],
      [
        join(bare, 'hooks'),
        ['pre-receive', 'update', 'post-receive', 'post-update', 'reference-transaction', 'push-to-checkout'],
      ],
    ] as const) {
      await mkdir(place, { recursive: true });
      for (const hook of hooks) {
        await writeFile(join(place, hook), `#!/bin/sh\n${command} </dev/null\n`);
        await chmod(join(place, hook), 0o755);
      }
    }
    await ground.git(bare, 'config', 'core.fsmonitor', command);
    expect(await pushBranch(repo, { branch: 'main' }, ground.env)).toEqual({ ok: true, remote: 'origin' });
    await ground.git(repo, 'config', 'remote.origin.pushurl', `ext::${command}`);
    expect((await pushBranch(repo, { branch: 'main' }, ground.env)).why).toMatch(/address that runs a program/);
    await ground.git(repo, 'config', 'remote.origin.pushurl', 'ssh://127.0.0.1:1/x.git');
    expect((await pushBranch(repo, { branch: 'main' }, ground.env)).ok).toBe(false);
    expect(await ground.canaries()).toEqual([]);
  });
});
