import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ATTRIBUTES, plant, sang, wroteElsewhere } from '../fixtures/attacks.ts';
import { type Ground, ground, who } from '../fixtures/ground.ts';
import { changesBetween, diffText } from '../history/changes.ts';
import { dropRef, pinRef } from '../history/pinned.ts';
import { blame, writeProvenance } from '../history/provenance.ts';
import { inspect } from '../inspect.ts';
import { advance } from '../land/advance.ts';
import { combine, treeOf } from '../land/combine.ts';
import { couldAdvance } from '../land/could-advance.ts';
import { pushBranch } from '../land/push.ts';
import { commitOf, identityOf, targetOf } from '../land/target.ts';
import { showBranches } from '../private/show.ts';
import { commitWork } from '../save/commit-work.ts';
import { importBranch } from '../save/import-branch.ts';
import { dropBranch, dropKeptBranch, makeBranch, refsBelow } from '../save/restored.ts';
import { save } from '../save/save.ts';
import type { Site } from '../site.ts';
import { provision, reset } from '../tree/provision.ts';
import { removeSite } from '../tree/remove-site.ts';
import { isContained, setupInputs } from '../tree/setup-inputs.ts';
import { dropSetup, madeBySetup } from '../tree/setup-paths.ts';
import { usablePlaces } from '../usable-places.ts';
import { sanitizedGitEnv } from './environment.ts';

const AT = '2026-01-02T03:04:05.000Z';
const plain = { copyFiles: [], setupPaths: [] };

interface Stage extends Ground {
  /** A commit on top of the start, and one beside it, without a file whose filter only the repository knows. */
  readonly onto: string;
  readonly tip: string;
  readonly made: Site;
}

/** A commit on top of the start, made before anything is planted. */
function commitOn(at: Ground, name: string): string {
  const place = join(at.root, `made-${name}`);
  at.git(at.repository, 'worktree', 'add', '-q', '--detach', place, at.start);
  writeFileSync(join(place, name), `${name}\n`);
  at.git(place, 'add', '-A');
  at.git(place, 'commit', '-qm', name);
  const commit = at.git(place, 'rev-parse', 'HEAD');
  at.git(at.repository, 'worktree', 'remove', '--force', place);
  return commit;
}

async function stage(at: Ground): Promise<Stage> {
  const [tip, onto] = [commitOn(at, 'theirs.dat'), commitOn(at, 'ours.dat')];
  at.git(at.repository, 'branch', 'spare', at.start);
  mkdirSync(join(at.root, 'remote.git'));
  at.git(join(at.root, 'remote.git'), 'init', '-q', '--bare');
  const made = at.site('made');
  await provision(made, { branch: 'x/made', start: at.start, ...plain }, at.env);
  plant(at, join(at.repository, '.git'), 'shared');
  plant(at, join(at.repository, '.git/worktrees/fleet-ws_made'), 'entry');
  const config = join(at.repository, '.git/config');
  at.git(at.root, 'config', '--file', config, '--add', 'remote.away.url', join(at.root, 'remote.git'));
  plant(at, join(at.root, 'remote.git'), 'remote');
  return { ...at, onto, tip, made };
}

/** Each operation of the room that runs git, and that it came to its end. */
const OPERATIONS: Readonly<Record<string, (at: Stage) => Promise<void>>> = {
  'look at a place': async ({ repository, env }) => {
    expect(await inspect(repository, env)).toMatchObject({ hasCommit: true });
    expect(await usablePlaces(env)(repository)).toMatchObject({ real: expect.any(String) });
  },
  'find the target, a commit and who signs': async ({ repository, env, start }) => {
    expect(await targetOf(repository, undefined, env)).toMatchObject({ state: 'found', branch: 'main' });
    expect(await commitOf(repository, 'main', env)).toBe(start);
    expect(await identityOf(repository, env)).toEqual(who);
  },
  'compare and look into history': async ({ repository, env, start, tip }) => {
    expect((await changesBetween(repository, { base: start, tip }, env)).files).toHaveLength(1);
    expect(JSON.stringify(await diffText(repository, { base: start, tip, maxBytes: 100_000 }, env))).toContain('theirs.dat');
    expect(await isContained(repository, { commit: start, tip }, env)).toBe(true);
    expect(await treeOf(repository, tip, env)).toMatch(/^[0-9a-f]{40}$/);
    expect(await setupInputs(repository, { commit: tip, patterns: ['*.dat'] }, env)).toMatchObject({
      inputs: expect.any(String),
    });
  },
  'merge, and bring the checkout along': async ({ repository, env, start, onto, tip }) => {
    const merge = await combine(repository, { onto, tip, message: 'm', who, at: AT }, env);
    if (merge.state !== 'merged') throw new Error(merge.state);
    const move = { branch: 'main', from: start, to: merge.commit };
    expect(await couldAdvance(repository, move, env)).toBe(true);
    expect(await advance(repository, { ...move, why: 'land' }, env)).toMatchObject({ state: 'moved' });
  },
  'note and blame': async ({ repository, env, tip }) => {
    await writeProvenance(repository, [tip], { task: 't', run: 'r', executor: 'e' }, env);
    expect(await blame(repository, { file: 'theirs.dat', ref: tip }, env)).toMatchObject([{ provenance: { task: 't' } }]);
  },
  'make, pin, list and drop refs': async ({ repository, env, start, tip }) => {
    await pinRef(repository, 'refs/fleet/pin/1', tip, env);
    expect(await refsBelow(repository, 'refs/fleet/pin', env)).toHaveLength(1);
    expect(await makeBranch(repository, { branch: 'again', commit: start, isExact: true }, env)).toBe('again');
    await dropBranch(repository, { branch: 'again', at: start }, env);
    expect(await commitOf(repository, 'refs/heads/again', env)).toBeUndefined();
    expect(await dropKeptBranch(repository, { branch: 'spare', below: 'refs/fleet/pin' }, env)).toBe(true);
    await dropRef(repository, 'refs/fleet/pin/1', env);
  },
  'push to a remote on this machine': async ({ repository, env }) => {
    expect(await pushBranch(repository, { branch: 'main', remote: 'away' }, env)).toEqual({ ok: true, remote: 'away' });
    expect(await pushBranch(repository, { branch: 'main', remote: 'evil' }, env)).toMatchObject({ ok: false });
  },
  'keep, commit and bring in a worktree': async ({ made, env, write }) => {
    write('fleet/workspaces/shop/made/new.txt', 'new\n');
    expect(await save(made, { ref: 'refs/fleet/keep/1', message: 'k', who }, env)).toMatchObject({ dirty: true });
    expect(await commitWork(made, { message: 'w', who }, env)).toMatchObject({ made: true });
    expect(await importBranch(made, { from: 'HEAD', ref: 'refs/fleet/brought/1' }, env)).toMatch(/^[0-9a-f]{40}$/);
  },
  'tell what a set-up made, and drop it': async ({ made, env, write }) => {
    write('fleet/workspaces/shop/made/built/out.txt', 'built\n');
    expect((await madeBySetup(made, env)).paths).toContain('built');
    await dropSetup(made, ['built'], env);
  },
  'clear, lay out and discard a worktree': async ({ made, env, start, trash }) => {
    await reset(made, { setupPaths: [] }, env);
    expect(await provision(made, { branch: 'x/next', start, ...plain }, env)).toMatchObject({ how: 'renewed' });
    await removeSite(made, { trash }, env);
  },
  'lay out, show, keep, commit, clear and discard a private clone': async (at) => {
    const { env, start, trash } = at;
    const site = at.site('private', 'clone');
    await provision(site, { branch: 'x/private', start, ...plain }, env);
    plant(at, join(site.path, '.git'), 'private');
    await showBranches(site, { target: 'main', branches: [] }, env);
    at.write('fleet/workspaces/shop/private/new.txt', 'new\n');
    expect(await save(site, { ref: 'refs/fleet/keep/2', message: 'k', who }, env)).toMatchObject({ dirty: true });
    expect(await commitWork(site, { message: 'w', who }, env)).toMatchObject({ made: true });
    await reset(site, { setupPaths: [] }, env);
    await removeSite(site, { trash }, env);
  },
};

describe('a repository whose every setting is hostile', () => {
  it('runs nothing and writes nowhere else, whatever is done in it [WORK-13] [T11]', async () => {
    using at = ground({ '.gitattributes': ATTRIBUTES, 'a.txt': 'a\n', 'b.md': 'b\n' });
    const staged = await stage(at);
    // A checkout that lies elsewhere is none to bring along: here it is where it was.
    at.git(at.root, 'config', '--file', join(at.repository, '.git/config'), '--unset-all', 'core.worktree');
    const met: Record<string, readonly string[]> = {};
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      await operation(staged);
      const woken = [...sang(at), ...wroteElsewhere(at)];
      if (woken.length > 0) met[name] = woken;
    }
    expect(met).toEqual({});
  });
});

describe('what a git of Fleet is told', () => {
  const hostile = Object.fromEntries(
    [
      ...['GIT_DIR', 'GIT_CONFIG_PARAMETERS', 'GIT_SSH_COMMAND', 'GIT_EXTERNAL_DIFF', 'GIT_EXEC_PATH', 'GIT_PROXY_COMMAND'],
      ...[
        'GIT_TEMPLATE_DIR',
        'GIT_OBJECT_DIRECTORY',
        'GIT_SSH',
        'GIT_TRACE',
        'GIT_NEW_IN_SOME_VERSION',
        'SSH_ASKPASS',
        'GIT_CONFIG',
      ],
      ...['GIT_CONFIG_KEY_99', 'GIT_CONFIG_VALUE_99'],
    ].map((name) => [name, '/evil']),
  );

  it.each(['closed', 'user', 'look', 'push'] as const)('is nothing of the caller that could lead it astray: %s [T11]', (mode) => {
    const env = { ...hostile, PATH: '/bin', HOME: '/home/ada', GIT_CONFIG_COUNT: '100', SECRET: 's' };
    const told = sanitizedGitEnv(mode, env);
    expect(Object.values(told)).not.toContain('/evil');
    expect(told).toMatchObject({ PATH: '/bin', GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0' });
    expect(told['GIT_ALLOW_PROTOCOL']).toBe(mode === 'push' ? 'file:git:http:https:ssh' : 'none');
    const { HOME, SECRET } = told;
    expect({ HOME, SECRET }).toEqual(
      mode === 'closed' ? { HOME: '/nonexistent', SECRET: undefined } : { HOME: '/home/ada', SECRET: 's' },
    );
  });
});
