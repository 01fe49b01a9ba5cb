import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import type { FaultHouse } from '../fixtures/fault-house.ts';
import { boxed, boxHouse, exporting, quoted } from '../support/box-house.ts';

/** A repository below a path with an odd word in it, without hooks, with a submodule's git directory and settings per worktree. */
async function theirs(house: FaultHouse, name: string, ...wishes: readonly string[]) {
  const repo = await realpath(await house.repository(join('configs', name)));
  const git = join(repo, '.git');
  await rm(join(git, 'hooks'), { recursive: true, force: true });
  await mkdir(join(git, 'modules', 'lib'), { recursive: true });
  await writeFile(join(git, 'modules', 'lib', 'config'), '[core]\n');
  await house.git(repo, 'config', 'extensions.worktreeConfig', 'true');
  await house.ok(['project', 'add', repo, '--name', name, '--integration', 'none', ...wishes]);
  const pwned = join(dirname(repo), 'PWNED');
  return { name, repo, git, pwned, variables: { THEIR_GIT: git, PAYLOAD: `touch ${quoted(pwned)}` } };
}

type Theirs = Awaited<ReturnType<typeof theirs>>;

const attacks = (house: FaultHouse, name: string, script: string, ...more: readonly string[]) =>
  house.ok(['task', 'create', '--project', name, '--sandbox', '--json', '--prompt', `${script}\nexit 0`, ...more]);

/** Their person goes on working, in every way that once ran a program of the agent's. */
async function goesOn(house: FaultHouse, { repo, git, pwned }: Theirs): Promise<void> {
  for (const words of [['status'], ['checkout', '-q', '-b', 'mine'], ['checkout', '-q', 'main'], ['diff'], ['log', '-p']])
    expect((await house.git(repo, ...words)).code).toBe(0);
  await house.git(join(git, 'modules', 'lib'), 'status');
  expect(existsSync(pwned)).toBe(false);
  expect((await house.git(repo, 'fsck', '--full', '--strict')).code).toBe(0);
  expect((await house.git(repo, 'log', '--format=%s', 'main')).out).toBe('first\n');
}

/** Each also on what it sees as `.git`, in case that is theirs. */
const WAYS: Readonly<Record<string, string>> = {
  'a git directory of its own behind theirs': `
    for git in "$THEIR_GIT" .git; do
      mkdir -p "$git/evil/objects" "$git/evil/refs"; printf '[core]\\n\\tfsmonitor = "%s"\\n' "$PAYLOAD" > "$git/evil/config"
      cp "$git/HEAD" "$git/evil/HEAD"; echo evil > "$git/commondir"
    done`,
  'the settings of their repository': `
    for git in "$THEIR_GIT" .git; do mkdir -p "$git"; printf '[core]\\n\\tfsmonitor = "%s"\\n' "$PAYLOAD" >> "$git/config"; done`,
  'the settings of a worktree': `
    for git in "$THEIR_GIT" .git; do mkdir -p "$git"; printf '[core]\\n\\tfsmonitor = "%s"\\n' "$PAYLOAD" > "$git/config.worktree"; done`,
  'the settings of a submodule': `
    for git in "$THEIR_GIT" .git; do
      mkdir -p "$git/modules/lib"; printf '[core]\\n\\tfsmonitor = "%s"\\n' "$PAYLOAD" > "$git/modules/lib/config"
    done`,
  'a hook, below a path with an odd word': `
    for git in "$THEIR_GIT" .git; do
      mkdir -p "$git/hooks"
      for name in post-checkout pre-commit post-index-change reference-transaction; do
        printf '#!/bin/sh\\n%s\\n' "$PAYLOAD" > "$git/hooks/$name"; chmod +x "$git/hooks/$name"
      done
    done`,
};

describe('a sandboxed agent that wants the git of its person', () => {
  for (const [way, script] of Object.entries(WAYS))
    boxed(`to run its program, by ${way}, gets nothing [RUN-16] [T12]`, async () => {
      await using house = await boxHouse();
      const shop = await theirs(house, 'shop');
      await house.up();
      const { id } = (await attacks(house, 'shop', `${exporting(shop.variables)}${script}`)).json<{ id: string }>();
      await house.settled([id]);
      expect(await house.outcomes(id)).toContain('succeeded');
      await goesOn(house, shop);
    });

  boxed('to lose its history destroys nothing but its own [RUN-16] [T12]', async () => {
    await using house = await boxHouse();
    const shop = await theirs(house, 'shop');
    await house.up();
    const script = `
      rm -rf "$THEIR_GIT"/objects/* "$THEIR_GIT"/refs/* "$THEIR_GIT"/packed-refs "$THEIR_GIT"/logs
      cat .git/objects/info/alternates | while read -r at; do rm -rf "$at"/* "$at"/../refs; done
      rm -rf .git/objects/* .git/refs/* .git/packed-refs; rm -rf .git; ls`;
    const { id } = (await attacks(house, 'shop', `${exporting(shop.variables)}${script}`)).json<{ id: string }>();
    await house.settled([id]);
    await goesOn(house, shop);
    // Neither has another of its tasks lost anything.
    const next = (await attacks(house, 'shop', 'git log --format=%s; git fsck && echo whole')).json<{ id: string }>();
    await house.settled([next.id]);
    expect(await house.said(next.id)).toMatch(/^first\n(.*\n)*whole\n$/);
  });

  boxed('by what its set-up and its gate run, before and at landing, gets nothing [RUN-16] [T8] [T12]', async () => {
    await using house = await boxHouse();
    const check = 'sh ./check.sh';
    const shop = await theirs(house, 'shop', '--verify', check, '--setup', 'sh ./check.sh setup', '--integration', 'review');
    // Green only where nothing of the machine can be seen and its own git directory cannot be written.
    const script = `#!/bin/sh
${exporting({ ...shop.variables, KEY: join(house.env['HOME'] ?? '', '.ssh', 'id_canary') })}
${WAYS['the settings of their repository']}
if [ -e "$KEY" ]; then echo "escaped: sees the home"; exit 1; fi
if [ -e ~/planted ]; then echo "escaped: has a home somebody wrote before"; exit 1; fi
if touch .git/written 2> /dev/null || git config core.fsmonitor "$PAYLOAD" 2> /dev/null; then echo "escaped: writes git"; exit 1; fi
git rev-parse HEAD > /dev/null && [ -z "$(git status --porcelain)" ] && echo "looked at a clean checkout"
[ "$1" = setup ] || touch ~/planted
`;
    await mkdir(join(house.env['HOME'] ?? '', '.ssh'));
    await writeFile(join(house.env['HOME'] ?? '', '.ssh', 'id_canary'), 'canary\n');
    await writeFile(join(shop.repo, 'check.sh'), 'exit 0\n');
    await house.git(shop.repo, 'add', '-A');
    await house.git(shop.repo, 'commit', '-q', '--amend', '-m', 'first');
    await house.up();
    const { id } = (
      await attacks(house, 'shop', `cat > check.sh <<'END'\n${script}END\ntouch ~/planted; git commit -qam "another check"`)
    ).json<{
      id: string;
    }>();
    await house.settled([id]);
    const state = async () => (await house.task(id)).phase;
    expect(await state()).toMatchObject({ state: 'blocked', block: { cause: 'review' } });
    // The target has moved on: what lands is a combination, and the gate looks at that.
    await writeFile(join(shop.repo, 'theirs.txt'), 'more\n');
    await house.git(shop.repo, 'add', '-A');
    await house.git(shop.repo, 'commit', '-q', '-m', 'second');
    await house.ok(['task', 'approve', id]);
    await house.settled([id]);
    expect(await state()).toMatchObject({ state: 'done' });
    const { items } = (await house.ok(['run', 'list', '--task', id, '--json'])).json<{ items: { id: string; kind: string }[] }>();
    const gates = items.filter(({ kind }) => kind === 'gate');
    expect(gates).toHaveLength(2);
    for (const gate of gates) expect((await house.ok(['run', 'log', gate.id])).out).toBe('looked at a clean checkout\n');
    expect(existsSync(shop.pwned)).toBe(false);
    expect(await readFile(join(shop.git, 'config'), 'utf8')).not.toContain('fsmonitor');
  });
});

describe('a sandboxed agent in a plain directory that wants to make a repository of it', () => {
  boxed('makes none that the git of its person obeys there [RUN-16] [T12]', async () => {
    await using house = await boxHouse();
    await house.up();
    const pwned = join(house.directory, 'PWNED');
    const script = `${exporting({ PAYLOAD: `touch ${quoted(pwned)}` })}
      git init -q . ; mkdir .git; printf '[core]\\n\\tfsmonitor = "%s"\\n' "$PAYLOAD" >> .git/config
      mv .git mine; ln -s mine .git; printf 'gitdir: mine\\n' > .git
      mkdir objects refs; printf 'ref: refs/heads/main\\n' > HEAD
      printf '[core]\\n\\tbare = false\\n\\tworktree = .\\n\\tfsmonitor = "%s"\\n' "$PAYLOAD" > config
      echo honest > honest.txt; exit 0`;
    const id = await house.create(script, '--sandbox');
    await house.settled([id]);
    expect(await readFile(join(house.work, 'honest.txt'), 'utf8')).toBe('honest\n');
    expect((await house.git(house.work, 'status')).code).not.toBe(0);
    for (const name of ['.git', 'HEAD']) expect(existsSync(join(house.work, name))).toBe(false);
    expect(existsSync(pwned)).toBe(false);
  });
});
