import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fullOnly } from '../full-only.ts';
import { fileIn, onMain, workHouse, writeIn } from '../support/work-house.ts';

const feature = (name = 'feature', text = 'it works') => `edit ${name}.txt ${text}\ncommit add ${name}\ndone added ${name}`;

describe('work in a repository', () => {
  it('becomes a verified commit on the target branch [WORK-05] [WORK-06]', async () => {
    await using house = await workHouse(['--verify', 'grep -q works feature.txt && echo all is well']);
    const before = await house.says('rev-parse', 'main');
    const id = await house.create(feature(), '--title', 'Add the feature: ünï/côde');
    const task = await house.rest(id);
    expect(task.phase).toMatchObject({ state: 'done' });
    expect(await onMain(house, 'feature.txt')).toBe('it works');
    // The user's clean checkout came along.
    expect(await fileIn(house, 'feature.txt')).toBe('it works\n');
    expect(await house.says('status', '--porcelain')).toBe('');
    expect(await house.says('rev-parse', 'main')).toBe(task.work?.landed?.commit);
    expect(await house.says('log', '-1', '--format=%B', 'main')).toContain(`Fleet-Task: ${id}`);
    expect(await house.says('rev-parse', 'main^1')).toBe(before);
    const { evidence, reports } = (await house.ok(['task', 'report', id, '--json'])).json<Reports>();
    expect(evidence[0]).toMatchObject({ green: true, exit: 0, stale: false, output: 'all is well' });
    expect(reports[0]).toMatchObject({ status: 'succeeded', summary: 'added feature', commits: [{ subject: 'add feature' }] });
    expect(reports[0]?.files).toEqual([{ path: 'feature.txt', status: 'A', added: 1, removed: 0 }]);
    const blamed = (await house.ok(['blame', `${house.repo}/feature.txt:1`, '--json'])).json<{ lines: { task: string }[] }>();
    expect(blamed.lines).toMatchObject([{ line: 1, task: id, executor: 'scripted' }]);
  });

  it('waits for a review, shows its diff, and lands when it is approved', async () => {
    await using house = await workHouse(['--integration', 'review']);
    const id = await house.create(feature());
    const waiting = await house.rest(id);
    expect(waiting.phase).toMatchObject({ state: 'blocked', block: { cause: 'review' } });
    expect((await house.ok(['task', 'diff', id])).out).toContain('+it works');
    expect(await house.says('ls-tree', '--name-only', 'main')).toBe('README');
    await house.ok(['task', 'approve', id]);
    expect((await house.rest(id)).phase.state).toBe('done');
    expect(await onMain(house, 'feature.txt')).toBe('it works');
  });

  it('that was rejected keeps the words, and is flagged when the very same is handed in again [WORK-05]', async () => {
    await using house = await workHouse(['--integration', 'review']);
    const id = await house.create(feature());
    await house.rest(id);
    await house.ok(['task', 'reject', id, 'name it in the manual']);
    const again = await house.sees(id, ({ phase, work }) => phase.block?.cause === 'review' && work?.changes !== undefined);
    expect(again.phase.block?.what).toMatch(/^nothing has changed since it was rejected/);
    for (const command of ['show', 'events', 'report'])
      expect((await house.ok(['task', command, id])).out).toContain('name it in the manual');
    for (const command of ['show', 'report']) expect((await house.ok(['task', command, id])).out).toContain('the very same');
  });

  it('that conflicts with its target says so when it is offered for review [WORK-06]', async () => {
    await using house = await workHouse(['--integration', 'review']);
    const id = await house.create('edit README theirs\ndone changed it', '--draft');
    const base = await house.says('rev-parse', 'main');
    await writeIn(house, 'README', 'my own words\n');
    await house.git(house.repo, 'commit', '-qam', 'mine');
    await house.ok(['task', 'edit', id, '--base-ref', base]);
    await house.ok(['task', 'dispatch', id]);
    const waiting = await house.rest(id);
    expect(waiting.phase.block).toMatchObject({
      cause: 'review',
      what: expect.stringMatching(/^it conflicts with main in README:/),
    });
    for (const command of ['show', 'report']) expect((await house.ok(['task', command, id])).out).toMatch(/Conflicts[^]*README/);
  });

  fullOnly('goes back to its agent when it is rejected with a text, and ends when without', async () => {
    await using house = await workHouse(['--integration', 'review']);
    const id = await house.create(
      'sh n=$(cat tries.txt 2>/dev/null | wc -l); echo try >> tries.txt; git add -A; git commit -qm "try $n"\ndone tried',
    );
    await house.rest(id);
    await house.ok(['task', 'reject', id, 'once more, please']);
    await house.sees(id, ({ phase, work }) => phase.state === 'blocked' && work?.changes !== undefined);
    expect((await house.ok(['task', 'diff', id])).out.match(/\+try/g)).toHaveLength(2);
    await house.ok(['task', 'reject', id]);
    expect((await house.show(id)).phase.state).toBe('canceled');
    expect(await house.says('ls-tree', '--name-only', 'main')).toBe('README');
  });

  fullOnly('commits what the agent left uncommitted, and ends as none without landing', async () => {
    await using house = await workHouse(['--integration', 'none']);
    const id = await house.create('edit loose.txt not committed\ndone left it lying');
    const task = await house.rest(id);
    expect(task.phase.state).toBe('done');
    expect(await house.says('show', `${task.work?.branch}:loose.txt`)).toBe('not committed');
    expect(await house.says('ls-tree', '--name-only', 'main')).toBe('README');
    await house.ok(['task', 'merge', id]);
    await house.sees(id, ({ work }) => work?.landed !== undefined);
    expect(await onMain(house, 'loose.txt')).toBe('not committed');
  });
});

describe('an agent that claims what is not so [WORK-05]', () => {
  it('is told what the gate found and may repair it', async () => {
    await using house = await workHouse(['--verify', 'grep -q works feature.txt || { echo "not ok 1 - it works"; exit 3; }']);
    const id = await house.create(
      'sh if test -f feature.txt; then echo "it works" > feature.txt; else echo "it is broken" > feature.txt; fi; git add -A; git commit -qm try\ndone all good',
    );
    const task = await house.rest(id);
    expect(task).toMatchObject({ phase: { state: 'done' }, repairs: 1 });
    expect(await onMain(house, 'feature.txt')).toBe('it works');
    const { evidence } = (await house.ok(['task', 'report', id, '--json'])).json<Reports>();
    expect((await house.ok(['task', 'events', id])).out).toContain('failing: it works');
    expect(evidence.map(({ green, exit, stale }) => [green, exit, stale])).toEqual([
      [true, 0, false],
      [false, 3, true],
    ]);
  });

  fullOnly('is stopped after two repairs, with everything it made kept', async () => {
    await using house = await workHouse(['--verify', 'echo no; exit 1']);
    const id = await house.create(`${feature()}`.replace('commit', 'sh date +%N > when.txt\ncommit'));
    const task = await house.rest(id);
    expect(task).toMatchObject({ phase: { state: 'blocked', block: { cause: 'proof' } }, repairs: 2 });
    expect(await house.says('ls-tree', '--name-only', 'main')).toBe('README');
    expect(await house.says('show', `${task.work?.kept?.ref}:feature.txt`)).toBe('it works');
  });

  fullOnly('is asked for the change it says it made', async () => {
    await using house = await workHouse();
    const id = await house.create('say thinking\ndone nothing was needed');
    const task = await house.rest(id);
    expect(task).toMatchObject({ phase: { state: 'blocked', block: { cause: 'proof' } }, repairs: 2 });
    const quiet = await house.create('say looked\ndone all fine', '--kind', 'review');
    expect((await house.rest(quiet)).phase.state).toBe('done');
  });
});

interface Reports {
  readonly evidence: readonly {
    readonly green: boolean;
    readonly exit: number;
    readonly stale: boolean;
    readonly output: string;
  }[];
  readonly reports: readonly { readonly status: string; readonly summary: string; readonly files: unknown }[];
}

describe("the user's checkout [WORK-08]", () => {
  it('is not touched while it is dirty, and what waits lands once it is clean', async () => {
    await using house = await workHouse();
    await writeIn(house, 'README', 'my own words\n');
    const id = await house.create(feature());
    const parked = await house.rest(id);
    expect(parked.phase).toMatchObject({ state: 'blocked', block: { cause: 'checkout' } });
    expect(parked.phase.block?.what).toContain('README');
    expect(await fileIn(house, 'README')).toBe('my own words\n');
    expect(await house.says('ls-tree', '--name-only', 'main')).toBe('README');
    await house.git(house.repo, 'commit', '-qam', 'mine');
    const task = await house.sees(id, ({ phase }) => phase.state === 'done');
    expect(await house.says('status', '--porcelain')).toBe('');
    expect(await onMain(house, 'README')).toBe('my own words');
    expect(await house.says('rev-parse', 'HEAD')).toBe(task.work?.landed?.commit);
  });
});

describe('work that does not fit together [WORK-06]', () => {
  it.each(['worktree', 'clone'])(
    'goes back to its agent in a %s with the conflict, and lands when that is resolved',
    async (isolation) => {
      await using house = await workHouse(['--verify', 'true', '--isolation', isolation]);
      const merge = 'git merge -q main || { git checkout -q --ours . && git add -A && git commit -qm merged; }';
      // Each works when the other has begun, so that both begin with the same target; whichever lands second meets the conflict.
      const begun = (name: string) => `'${join(house.directory, `${name} has begun`)}'`;
      const scenario = (name: string, other: string) =>
        [
          `sh touch ${begun(name)}; until test -e ${begun(other)}; do sleep 0.1; done`,
          `sh test -f shared.txt && ${merge} || { echo "from ${name}" > shared.txt; git add -A; git commit -qm ${name}; }`,
          `done ${name}`,
        ].join('\n');
      const one = await house.create(scenario('one', 'two'));
      const two = await house.create(scenario('two', 'one'));
      const tasks = [await house.rest(one), await house.rest(two)];
      expect(tasks.map(({ phase }) => phase.state)).toEqual(['done', 'done']);
      expect(['from one', 'from two']).toContain(await onMain(house, 'shared.txt'));
      expect(await house.says('status', '--porcelain')).toBe('');
    },
  );
});

describe('a workspace [WORK-03]', () => {
  it('is made ready before an agent starts in it, with files, ports and set-up', async () => {
    await using house = await workHouse(['--setup', 'mkdir -p deps && echo made > deps/ready', '--copy-file', '.env']);
    await writeIn(house, '.gitignore', '.env\ndeps/\n');
    await house.git(house.repo, 'add', '-A');
    await house.git(house.repo, 'commit', '-qm', 'ignore');
    await writeIn(house, '.env', 'SECRET=1\n');
    const id = await house.create(
      'sh cat deps/ready .env > seen.txt; echo $FLEET_PORT_FIRST-$FLEET_PORT_LAST >> seen.txt\ncommit seen\ndone ok',
    );
    expect((await house.rest(id)).phase.state).toBe('done');
    expect(await onMain(house, 'seen.txt')).toMatch(/^made\nSECRET=1\n(\d+)-(\d+)$/);
    expect(await house.says('ls-tree', '-r', '--name-only', 'main')).toBe('.gitignore\nREADME\nseen.txt');
  });

  it('that cannot be set up starts no agent and says why', async () => {
    await using house = await workHouse(['--setup', 'echo cannot reach it; exit 9']);
    const id = await house.create(feature());
    const task = await house.rest(id);
    expect(task.phase).toMatchObject({ state: 'blocked', block: { cause: 'setup' } });
    expect(task.phase.block?.what).toContain('exit code 9');
    const { items } = (await house.ok(['run', 'list', '--task', id, '--json'])).json<{
      items: { kind: string; watch?: unknown }[];
    }>();
    expect(items.find(({ kind }) => kind === 'agent')?.watch).toBeUndefined();
  });
});
