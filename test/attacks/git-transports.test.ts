import { access, chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type GitGround, gitGround } from '../../src/workspace/fixtures/git-ground.ts';
import { addedTexts } from '../../src/workspace/history/added-texts.ts';
import { changesBetween, diffText } from '../../src/workspace/history/changes.ts';
import { blame } from '../../src/workspace/history/provenance.ts';
import { pushBranch } from '../../src/workspace/land/push.ts';
import { commitOf } from '../../src/workspace/land/target.ts';
import { root } from '../../tools/paths.mjs';

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/** A repository and a helper for a transport of its own; everything that is run leaves a file. */
async function planted(ground: GitGround) {
  const repo = await ground.repository('repo', { 'a.txt': 'one\n' });
  const canary = join(ground.path, 'ran');
  const program = join(ground.path, 'program');
  await writeFile(program, `#!/bin/sh\ntouch '${canary}'\nexit 1\n`);
  await chmod(program, 0o755);
  const bin = join(ground.path, 'bin');
  await mkdir(bin);
  for (const name of ['git-remote-evil', 'git-remote-ftp', 'git-remote-rsync']) {
    await writeFile(join(bin, name), `#!/bin/sh\ntouch '${canary}'\nexit 1\n`);
    await chmod(join(bin, name), 0o755);
  }
  // As careless as a user's own settings can be.
  for (const key of ['protocol.allow', 'protocol.ext.allow', 'protocol.evil.allow'])
    await ground.git(repo, 'config', '--global', key, 'always');
  const env = {
    ...ground.env,
    PATH: `${bin}:${ground.env['PATH'] ?? process.env['PATH']}`,
    GIT_ALLOW_PROTOCOL: 'ext:evil:file:ftp',
  };
  return { repo, canary, program, env };
}

describe('a transport that runs a program, wanted by an agent that can write the settings of a repository', () => {
  it('is no way to push, whatever the address of the remote says [T10]', async () => {
    await using ground = await gitGround();
    const { repo, canary, program, env } = await planted(ground);
    const ADDRESSES = [
      `ext::${program}`,
      `ext::sh -c "${program}"`,
      `EXT::${program}`,
      'fd::17',
      'evil::x',
      'evil://127.0.0.1/x',
      'ftp://127.0.0.1:1/x',
      'rsync://127.0.0.1:1/x',
      `-oProxyCommand=${program}`,
      `--receive-pack=${program}`,
      `ssh://-oProxyCommand=${program}/x`,
      `-oProxyCommand=${program}:x`,
      `ssh://user@-oProxyCommand=${program}/x`,
    ];
    for (const address of ADDRESSES) {
      await ground.git(repo, 'config', 'remote.origin.url', address);
      expect([address, (await pushBranch(repo, { branch: 'main' }, env)).ok]).toEqual([address, false]);
      expect([address, await isThere(canary)]).toEqual([address, false]);
    }
    await ground.git(repo, 'config', 'remote.origin.url', 'https://127.0.0.1:1/x');
    const SETTINGS: readonly (readonly [string, string])[] = [
      ['remote.origin.vcs', 'evil'],
      ['remote.origin.receivepack', program],
      ['core.sshCommand', program],
      ['core.gitProxy', program],
      ['credential.helper', `!${program}`],
      [`url.ext::${program} .insteadOf`, 'https://'],
      [`url.evil://.pushInsteadOf`, 'https://'],
    ];
    for (const [key, value] of SETTINGS) await ground.git(repo, 'config', key, value);
    for (const address of ['https://127.0.0.1:1/x', 'ssh://127.0.0.1:1/x', 'git://127.0.0.1:1/x']) {
      await ground.git(repo, 'config', 'remote.origin.url', address);
      expect((await pushBranch(repo, { branch: 'main' }, env)).ok).toBe(false);
      expect([address, await isThere(canary)]).toEqual([address, false]);
    }
    // What is left is used: the same repository goes to a remote on this machine.
    const bare = join(ground.path, 'bare.git');
    await ground.git(ground.path, 'init', '-q', '--bare', bare);
    await ground.git(repo, 'config', 'remote.origin.url', bare);
    expect(await pushBranch(repo, { branch: 'main' }, env)).toMatchObject({ ok: true });
  });

  it('is no way to have git fetch what is missing while it looks [T10]', async () => {
    await using ground = await gitGround();
    const { repo, canary, program, env } = await planted(ground);
    const base = await ground.git(repo, 'rev-parse', 'HEAD');
    const tip = await ground.commit(repo, 'main', {
      'a.txt': 'two\n',
      '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ext::${program}\n`,
    });
    const settings = {
      'remote.origin.url': `ext::${program}`,
      'remote.origin.promisor': 'true',
      'extensions.partialClone': 'origin',
    };
    await ground.git(repo, 'config', 'core.repositoryFormatVersion', '1');
    for (const [key, value] of Object.entries({ ...settings, 'submodule.x.url': `ext::${program}`, 'submodule.recurse': 'true' }))
      await ground.git(repo, 'config', key, value);
    const absent = '1'.repeat(40);
    expect(await commitOf(repo, absent, env)).toBeUndefined();
    await Promise.allSettled([
      changesBetween(repo, { base: absent, tip }, env),
      diffText(repo, { base: absent, tip, maxBytes: 1_000 }, env),
    ]);
    expect((await changesBetween(repo, { base, tip }, env)).totals.files).toBe(2);
    expect(await addedTexts(repo, { base, tip, maxBytes: 10_000 }, env)).toBeDefined();
    await blame(repo, { file: 'a.txt', ref: tip }, env);
    expect(await isThere(canary)).toBe(false);
  });

  it('is in no list of protocols but that of a push, and no git is started without one [T10]', async () => {
    const files = (await readdir(join(root, 'src'), { recursive: true })).filter(
      (name) => name.endsWith('.ts') && !/test|fixtures/.test(name),
    );
    const texts = await Promise.all(files.map(async (name) => [name, await readFile(join(root, 'src', name), 'utf8')] as const));
    const lists = texts.flatMap(([name, text]) =>
      [...text.matchAll(/(?:GIT_ALLOW_PROTOCOL|protocols): '([^']*)'/g)].map(([, list]) => `${name} ${list}`),
    );
    // One of each mode: closed, user, look and push.
    expect(lists.toSorted()).toEqual([
      'workspace/git/environment.ts file:git:http:https:ssh',
      ...Array.from({ length: 3 }, () => 'workspace/git/environment.ts none'),
    ]);
  });
});
