import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { survivors } from '../../src/runner/process-table.ts';
import { provision } from '../../src/workspace/tree/provision.ts';
import { fullOnly } from '../full-only.ts';
import { leftovers, type TaskJson, type WorkHouse, workHouse } from '../support/work-house.ts';
import { type Place, place as placeIn, standing } from '../support/work-place.ts';

let house: WorkHouse;
beforeAll(async () => {
  house = await workHouse([], {
    settings: ['max_repairs=1', 'max_concurrent=20', 'grace_seconds=1', 'workspace_pool=1', 'max_gates=4'],
  });
});
afterAll(async () => house[Symbol.asyncDispose]());

const place = (name: string, flags: readonly string[] = [], prepare?: (place: Place) => Promise<void>) =>
  placeIn(house, name, flags, prepare);
const at = (name: string) => join(house.directory, name);
const workspaceOf = async ({ work }: TaskJson) => (await house.workspaces()).find(({ id }) => id === work?.workspaceId);
const restored = async (id: string, ...flags: string[]) =>
  (await house.ok(['task', 'restore', id, '--json', ...flags])).json<{ branch: string; commit: string }>().branch;
/** Processes of these runs. */
async function processesOf(taskId: string): Promise<readonly string[]> {
  const mark = (await readFile(join(house.home, 'mark'), 'utf8')).trim();
  const runs = new Set((await house.runs(taskId)).map(({ id }) => id));
  return (await survivors(mark)).filter(({ runId }) => runs.has(runId as never)).map(({ pid, runId }) => `${pid} of ${runId}`);
}
const waitFor = (isSo: () => boolean) => vi.waitFor(() => expect(isSo()).toBe(true), { timeout: 60_000, interval: 50 });

interface Reports {
  readonly evidence: readonly {
    readonly green: boolean;
    readonly why: string;
    readonly output: string;
    readonly commit?: string;
  }[];
  readonly reports: readonly {
    readonly channel: string;
    readonly status: string;
    readonly doubts: readonly string[];
    readonly files: readonly { readonly path: string }[];
    readonly commits: readonly { readonly subject: string }[];
  }[];
}
const reportsOf = async (id: string) => (await house.ok(['task', 'report', id, '--json'])).json<Reports>();

const DIES = 'edit done.txt committed\ncommit half\nedit loose.txt not committed\n';

describe('what an agent wrote', () => {
  it('comes back after a crash, a cancel and a cleanup, and a dead agent has a report', async () => {
    const { task, git } = await place('kept');
    const crashed = await task(`${DIES}crash 3`, '--max-attempts', '1');
    const canceled = await task(`${DIES}daemonise 600000\nhang`);
    const failed = await house.rest(crashed);
    expect(failed.phase.state).toBe('failed');
    const { reports } = await reportsOf(crashed);
    expect(reports).toMatchObject([{ channel: 'salvage', status: 'failed', commits: [{ subject: 'half' }] }]);
    expect(reports[0]?.files.map(({ path }) => path).toSorted()).toEqual(['done.txt', 'loose.txt']);

    const running = await house.sees(canceled, ({ phase, work }) => phase.state === 'running' && work?.workspaceId !== undefined);
    const where = (await workspaceOf(running))?.path ?? '';
    await waitFor(() => existsSync(join(where, 'loose.txt')));
    await house.ok(['task', 'cancel', canceled]);
    const over = await house.sees(canceled, ({ phase }) => phase.state === 'canceled');
    // Canceled means that nothing of it runs any more and that its work is safe.
    expect(await processesOf(canceled)).toEqual([]);
    expect(await git('show', `${over.work?.kept?.ref}:loose.txt`)).toBe('not committed');

    for (const id of [crashed, canceled]) {
      const before = await restored(id);
      await house.ok(['task', 'cleanup', id]);
      await house.ok(['task', 'cleanup', id]);
      const task1 = await house.show(id);
      expect(task1.work?.workspaceId).toBeUndefined();
      await vi.waitFor(async () => expect((await house.workspaces()).filter(({ use }) => use.taskId === id)).toEqual([]), {
        timeout: 30_000,
        interval: 100,
      });
      // All of it is kept, so its branch goes, too, whoever asks how often.
      await vi.waitFor(async () => expect(await git('branch', '--list', `${task1.work?.branch}`)).toBe(''), {
        timeout: 60_000,
        interval: 100,
      });
      const after = await restored(id, '--branch', `again/${id.slice(-6)}`);
      for (const branch of [before, after]) {
        expect(await git('show', `${branch}:loose.txt`)).toBe('not committed');
        expect(await git('show', `${branch}:done.txt`)).toBe('committed');
      }
    }
    expect(await git('ls-tree', '--name-only', 'main')).toBe('README');
    expect(await git('status', '--porcelain')).toBe('');

    const notes = join(house.home, 'tasks', canceled);
    expect(existsSync(notes)).toBe(true);
    await house.ok(['task', 'delete', canceled]);
    await waitFor(() => !existsSync(notes));
    expect(await git('show', `refs/fleet/kept/${canceled}/last:loose.txt`)).toBe('not committed');
  });

  fullOnly('is kept at the end of each turn, also of one that is still at work', async () => {
    const { task, git } = await place('turns');
    const id = await task(
      'twoway\nedit a.txt one\nsh git add a.txt\nask Which? | red\nedit a.txt two\nspend 10 10\nlisten 1\nedit a.txt three\nlinger\n',
    );
    const running = await house.sees(id, ({ phase, work }) => phase.state === 'running' && work?.workspaceId !== undefined);
    const where = (await workspaceOf(running))?.path ?? '';
    const [run] = await house.runs(id);
    const ref = `refs/fleet/kept/${id}/${run?.id}`;
    const holds = (text: string) =>
      vi.waitFor(async () => expect(await git('show', `${ref}:a.txt`)).toBe(text), { timeout: 30_000, interval: 100 });
    await holds('one');
    // Nothing of the agent's own was touched for it.
    expect((await house.git(where, 'status', '--porcelain')).out).toBe('A  a.txt\n');
    const questions = (await house.ok(['question', 'list', '--json'])).json<{ items: { id: string; taskId?: string }[] }>().items;
    await house.ok(['question', 'answer', questions.find(({ taskId }) => taskId === id)?.id ?? '', 'red']);
    await holds('two');
    // The tree is lost with its agent: what it had at its last turn is not.
    await rm(where, { recursive: true });
    await house.ok(['task', 'cancel', id]);
    await house.sees(id, ({ phase }) => phase.state === 'canceled');
    expect(await git('show', `${await restored(id)}:a.txt`)).toBe('two');
    await house.ok(['task', 'cleanup', id]);
  });

  fullOnly('is committed and landed by a person after the agent failed', async () => {
    const { task, git } = await place('rescued', ['--verify', 'test -f loose.txt']);
    const id = await task(`${DIES}crash 3`, '--max-attempts', '1');
    expect((await house.rest(id)).phase.state).toBe('failed');
    expect((await house.fleet(['task', 'merge', id])).err).toContain('fleet task commit');
    await house.ok(['task', 'commit', id]);
    await house.ok(['task', 'merge', id]);
    await house.sees(id, ({ phase }) => phase.state === 'done');
    expect(await git('show', 'main:loose.txt')).toBe('not committed');
  });

  fullOnly('in a half-made merge, or beside its branch, is asked for and not left out', async () => {
    const { task, git } = await place('half', [], async (one) => {
      await one.git('checkout', '-q', '-b', 'other');
      await one.commit('README', 'other\n');
      await one.git('checkout', '-q', 'main');
      await one.commit('README', 'main\n');
    });
    const merging = await task(
      'sh test -e a.txt || { echo 1 > a.txt; git add -A; git commit -qm a; git merge -q other; }; true\ndone ok',
    );
    const beside = await task('edit a.txt 1\ncommit a\nrun git checkout -q --detach\nedit b.txt 2\ncommit b\ndone ok');
    expect(standing(await house.rest(merging))).toMatch(/^blocked: proof: .*not everything it left is committed: .*conflicts/);
    const rested = await house.rest(beside);
    expect(standing(rested)).toMatch(/^blocked: proof: .*not everything it left is committed: .*not the branch/);
    expect(await git('show', `${rested.work?.kept?.ref}:b.txt`)).toBe('2');
    expect(await git('ls-tree', '--name-only', 'main')).toBe('README');
  });
});

describe('a workspace that is used again [WORK-03]', () => {
  it('shows nothing of the task before, keeps an unharmed set-up and makes a harmed one again', async () => {
    const count = at('count of set-ups');
    const { task, git } = await place(
      'pool',
      ['--setup', `echo x >> '${count}'; mkdir -p deps && echo made > deps/ready`, '--integration', 'none'],
      (one) => one.commit('.gitignore', 'deps/\n*.log\n'),
    );
    const look =
      'sh { git status --porcelain --ignored; ls -A; cat deps/ready; git log -1 --format=%s; } > look.txt; echo "$FLEET_PORT_FIRST $PWD" > where.txt';
    const setUps = async () => (await readFile(count, 'utf8')).trim().split('\n').length;
    const free = (id: string) =>
      vi.waitFor(async () => expect((await house.workspaces()).filter(({ use }) => use.taskId === id)).toEqual([]), {
        timeout: 30_000,
        interval: 100,
      });

    const first = await task(
      'edit tracked.txt 1\ncommit one\nsh echo secret > secret.log; echo left > untracked.txt; mkdir -p sub/.git; git init -q nested; echo n > nested/file; echo x >> README\ncrash 2',
      '--max-attempts',
      '1',
    );
    await house.rest(first);
    await house.ok(['task', 'cleanup', first]);
    await free(first);
    const second = await task(`${look}\nsh echo harmed > deps/ready\ndone looked`);
    const seen = await house.rest(second);
    expect(seen.phase.state).toBe('done');
    await free(second);
    expect(await git('show', `${seen.work?.tip}:look.txt`)).toBe(
      '?? look.txt\n!! deps/\n.git\n.gitignore\nREADME\ndeps\nlook.txt\nmade\n.gitignore',
    );
    expect(await setUps()).toBe(1);
    const third = await house.rest(await task(`${look}\ndone looked`));
    expect(await git('show', `${third.work?.tip}:look.txt`)).toContain('\nmade\n');
    expect(await setUps()).toBe(2);
    // It was the same place all the time.
    expect(await git('show', `${third.work?.tip}:where.txt`)).toBe(await git('show', `${seen.work?.tip}:where.txt`));

    const both = await Promise.all(
      [1, 2].map(() => task('sh echo "$FLEET_PORT_FIRST-$FLEET_PORT_LAST $PORT" > ports.txt\nsleep 2500\ndone ok')),
    );
    const ports = await Promise.all(both.map(async (id) => git('show', `${(await house.rest(id)).work?.tip}:ports.txt`)));
    expect(new Set(ports).size).toBe(2);
  });

  fullOnly('is pruned when nobody needs it, and found again when no row knows it [R32]', async () => {
    const { task, git, path } = await place('pruned');
    // Ours by its mark, but nobody's; and beside it something of somebody else's.
    const orphan = {
      id: 'ws_900',
      repository: path,
      path: join(house.home, 'workspaces', 'pruned', '900'),
      isolation: 'worktree',
    } as const;
    const start = await git('rev-parse', 'main');
    await provision(orphan, { branch: 'lost/work', start, copyFiles: [], setupPaths: [] }, house.env);
    await writeFile(join(orphan.path, 'found.txt'), 'not committed');
    const others = join(house.home, 'workspaces', 'pruned', 'mine');
    await git('worktree', 'add', '-q', '-b', 'mine', others);
    const id = await task(`${DIES}crash 3`, '--max-attempts', '1');
    await house.rest(id);
    const pruned = (await house.ok(['workspace', 'prune', '--json'])).json<{ items: { path: string }[] }>();
    expect(pruned.items.length).toBeGreaterThan(0);
    await vi.waitFor(() => expect(pruned.items.filter((one) => existsSync(one.path))).toEqual([]), {
      timeout: 30_000,
      interval: 100,
    });
    expect(await git('show', `${await restored(id)}:loose.txt`)).toBe('not committed');
    expect(await readdir(path)).toEqual(['.git', 'README']);
    await vi.waitFor(() => expect(existsSync(orphan.path)).toBe(false), { timeout: 60_000, interval: 200 });
    const [ref = ''] = (await git('for-each-ref', '--format=%(refname)', 'refs/fleet/kept/orphans')).split('\n');
    expect(await git('show', `${ref}:found.txt`)).toBe('not committed');
    expect((await house.workspaces()).some(({ id: one }) => one === orphan.id)).toBe(false);
    expect(await readdir(others)).toEqual(['.git', 'README']);
    await git('worktree', 'remove', others);
  });
});

describe('what others made', () => {
  fullOnly('is where a task begins that depends on it, unless it wants the target alone', async () => {
    const { task, git } = await place('chain', ['--integration', 'none']);
    const one = await task('edit a.txt 1\ndone a');
    const two = await task('sh cp a.txt b.txt\ndone b', '--after', one);
    const three = await task('sh cat a.txt b.txt > c.txt\ndone c', '--after', two, '--integration', 'auto');
    const fresh = await task('sh ls > seen.txt\ndone d', '--after', two, '--strategy', 'new');
    expect(standing(await house.rest(three))).toBe('done');
    expect(await git('ls-tree', '--name-only', 'main')).toBe('README\na.txt\nb.txt\nc.txt');
    expect(await git('show', 'main:c.txt')).toBe('1\n1');
    const alone = await house.rest(fresh);
    expect(await git('show', `${alone.work?.tip}:seen.txt`)).not.toContain('a.txt');
    for (const id of [one, two]) expect((await house.show(id)).phase.state).toBe('done');
  });
});

describe('an agent nobody trusts', () => {
  it('works in a clone; what it plants there runs in nobody else [T11] [WORK-13]', async () => {
    const canary = at('canary of the clone');
    const { task, git, path } = await place('clone', ['--isolation', 'clone', '--verify', 'test -f work.txt']);
    const config = await readFile(join(path, '.git', 'config'), 'utf8');
    const evil = `sh -c 'echo ran >> "${canary}"; cat'`;
    const id = await task(
      [
        'edit work.txt honest',
        'commit work',
        'edit loose.txt too',
        'sh <<END',
        `for hook in pre-commit post-checkout post-commit reference-transaction post-merge pre-push post-index-change; do printf '#!/bin/sh\\necho hook >> "${canary}"\\n' > .git/hooks/$hook; chmod +x .git/hooks/$hook; done`,
        `cat >> .git/config <<EOF`,
        `[core]\n\tfsmonitor = "${evil.replaceAll('"', '\\"')}"\n\thooksPath = .git/hooks\n\tworktree = ${path}`,
        `[filter "x"]\n\tclean = "${evil.replaceAll('"', '\\"')}"\n\tsmudge = "${evil.replaceAll('"', '\\"')}"`,
        `[remote "origin"]\n\turl = ext::sh -c "echo>>${canary}"`,
        'EOF',
        `echo '* filter=x diff=x' > .git/info/attributes`,
        'END',
        'done honest work',
      ].join('\n'),
    );
    expect(standing(await house.rest(id))).toBe('done');
    expect(await git('ls-tree', '--name-only', 'main')).toBe('README\nloose.txt\nwork.txt');
    await house.ok(['task', 'restore', id]);
    expect(existsSync(canary) ? await readFile(canary, 'utf8') : 'nothing ran').toBe('nothing ran');
    expect(await readFile(join(path, '.git', 'config'), 'utf8')).toBe(config);
    expect(await git('status', '--porcelain')).toBe('');
  });
});

it('nothing is left of all this', async () => {
  await vi.waitFor(async () => expect(await leftovers(house)).toEqual([]), { timeout: 60_000, interval: 300 });
});
