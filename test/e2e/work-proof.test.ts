import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { survivors } from '../../src/runner/process-table.ts';
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

describe('a task that is canceled', () => {
  it('while it is set up, proved or merged is canceled when nothing of it runs, and has not landed', async () => {
    const gone = async (id: string) => {
      await house.ok(['task', 'cancel', id]);
      await house.sees(id, ({ phase }) => phase.state === 'canceled');
      expect(await processesOf(id)).toEqual([]);
    };
    const slow = await place('slow set-up', ['--setup', `touch '${at('setting up')}'; trap '' TERM; sleep 600; sleep 600`]);
    const settingUp = await slow.task('edit a.txt 1\ndone ok');
    await waitFor(() => existsSync(at('setting up')));
    await gone(settingUp);

    // It hangs on whatever is combined with what the user has done meanwhile.
    const verify = `if test -e moved.txt || test -e hang.txt; then touch '${at('hanging')}'; trap '' TERM; sleep 600; sleep 600; fi`;
    const { task, git, commit } = await place('canceled', ['--verify', verify]);
    const proving = await task('edit hang.txt 1\ndone ok');
    await waitFor(() => existsSync(at('hanging')));
    expect((await house.show(proving)).phase.state).toBe('verifying');
    await gone(proving);
    await rm(at('hanging'));
    const merging = await task(
      `sh touch '${at('begun')}'; while ! test -e '${at('go on')}'; do sleep 0.05; done; echo 1 > a.txt\ndone ok`,
    );
    await waitFor(() => existsSync(at('begun')));
    await commit('moved.txt', 'by the user\n');
    await writeFile(at('go on'), '');
    await waitFor(() => existsSync(at('hanging')));
    expect((await house.show(merging)).phase.state).toBe('merging');
    await gone(merging);
    expect(await git('ls-tree', '--name-only', 'main')).toBe('README\nmoved.txt');
    expect(await git('show', `${await restored(merging)}:a.txt`)).toBe('1');
    expect(await git('status', '--porcelain')).toBe('');
  });
});

describe('a gate', () => {
  fullOnly('that hangs, forks away, floods or kills what watches it has an end and leaves nothing [WORK-05]', async () => {
    const hangs = await place('gate hangs', ['--verify', 'trap "" TERM; sleep 600; sleep 600']);
    const forks = await place('gate forks', [
      '--verify',
      'setsid sleep 600 & (setsid sh -c "trap \'\' TERM; sleep 600") & exit 0',
    ]);
    const floods = await place('gate floods', ['--verify', 'yes "all is well" | head -c 30000000; echo the end']);
    const kills = await place('gate kills', ['--verify', 'kill -9 $PPID; sleep 600']);
    await house.ok(['config', 'set', 'gate_seconds=2', 'max_repairs=0']);
    const hung = await hangs.task('edit a.txt 1\ndone ok');
    expect(standing(await house.rest(hung))).toMatch(/^blocked: proof: .*at most 2 s are allowed/);
    await house.ok(['config', 'set', 'gate_seconds=600', 'max_repairs=1']);
    const [forked = '', flooded = '', killed = ''] = await Promise.all(
      [forks, floods, kills].map(({ task }) => task('edit a.txt 1\ndone ok')),
    );
    expect(standing(await house.rest(forked))).toBe('done');
    expect(standing(await house.rest(flooded))).toBe('done');
    const { evidence } = await reportsOf(flooded);
    expect(evidence[0]?.output).toMatch(/all is well\nthe end$/);
    expect(Buffer.byteLength(evidence[0]?.output ?? '')).toBeLessThan(20_000);
    expect(standing(await house.rest(killed))).toMatch(/^blocked: proof: the gate was lost 3 times/);
    for (const id of [hung, forked, flooded, killed]) expect(await processesOf(id)).toEqual([]);
    for (const { git } of [hangs, kills]) expect(await git('ls-tree', '--name-only', 'main')).toBe('README');
  });

  fullOnly('that was wrong looks again when it is asked to', async () => {
    const ok = at('now it works');
    const { task, git } = await place('flaky', ['--verify', `test -e '${ok}'`]);
    const id = await task('sh date +%N > a.txt\ndone ok');
    expect(standing(await house.rest(id))).toMatch(/^blocked: proof: .*the gate says no/);
    await writeFile(ok, '');
    await house.ok(['task', 'verify', id]);
    await house.sees(id, ({ phase }) => phase.state === 'done');
    expect(await git('ls-tree', '--name-only', 'main')).toBe('README\na.txt');
  });

  fullOnly('decides about work in place and about the work of people too [TASK-15]', async () => {
    const inPlace = await place('in place', ['--isolation', 'in_place', '--verify', 'test "$(cat out.txt)" = right']);
    const wrong = await inPlace.task('edit out.txt wrong\ndone ok');
    expect(standing(await house.rest(wrong))).toMatch(/^blocked: proof: .*the gate says no/);
    const right = await inPlace.task('edit out.txt right\ndone ok');
    expect(standing(await house.rest(right))).toBe('done');

    const people = await place('people', ['--max-concurrent', '1', '--verify', 'test "$(cat out.txt)" = right']);
    const busy = await people.task('hang');
    await house.sees(busy, ({ phase }) => phase.state === 'running');
    const other = await claimable(people);
    expect((await house.fleet(['task', 'complete', other, '--summary', 'I say so'])).err).toContain('as it was at the claim');
    await house.ok(['task', 'complete', other, '--no-changes', '--summary', 'I say so']);
    expect(standing(await house.rest(other))).toMatch(/^blocked: proof: .*the gate says no/);
    const next = await claimable(people);
    await people.commit('out.txt', 'right');
    await house.ok(['task', 'complete', next]);
    expect(standing(await house.rest(next))).toBe('done');
    await house.ok(['task', 'cancel', busy]);
    await house.sees(busy, ({ phase }) => phase.state === 'canceled');
  });
});

/** A task that a person has claimed: the only agent its project may have is busy. */
async function claimable({ task }: Place): Promise<string> {
  const id = await task('say nobody runs this');
  await house.ok(['task', 'claim', id]);
  return id;
}

describe('a change nobody may land unseen [T31]', () => {
  it('waits for a person in every mode, also renamed away, and only what was approved lands', async () => {
    const { task, git, write, path } = await place('guarded', [], (one) => one.commit('.github/workflows/ci.yml', 'on: push\n'));
    const changes = await task('edit .github/workflows/ci.yml on: everything\nedit a.txt 1\ndone ok');
    const renames = await task('run git mv .github/workflows/ci.yml elsewhere.yml\ndone ok');
    const held = await house.rest(changes);
    expect(standing(held)).toMatch(/^blocked: review: it changes .github\/workflows\/ci.yml, which never lands unseen/);
    expect(standing(await house.rest(renames))).toMatch(/^blocked: review: it changes .github\/workflows\/ci.yml/);
    expect(await git('ls-tree', '-r', '--name-only', 'main')).toBe('.github/workflows/ci.yml\nREADME');

    // Approved, but it cannot land yet; then something is added that nobody has seen.
    await write('README', 'in the way\n');
    await house.ok(['task', 'approve', changes]);
    await house.sees(changes, ({ phase }) => phase.block?.cause === 'checkout');
    const where = (await workspaceOf(held))?.path ?? '';
    await writeFile(join(where, '.github', 'workflows', 'ci.yml'), 'on: never seen\n');
    await house.ok(['task', 'commit', changes]);
    await git('checkout', '-q', '--', 'README');
    const again = await house.sees(changes, ({ phase }) => phase.block?.cause === 'review');
    expect(again.work?.tip).not.toBe(held.work?.tip);
    expect(await git('show', 'main:.github/workflows/ci.yml')).toBe('on: push');
    await house.ok(['task', 'approve', changes]);
    await house.sees(changes, ({ phase }) => phase.state === 'done');
    expect(await git('show', 'main:.github/workflows/ci.yml')).toBe('on: never seen');
    expect(await readFile(join(path, 'a.txt'), 'utf8')).toBe('1\n');
  });

  fullOnly('a tip that moves after the gate has said yes is not merged', async () => {
    const on = at('the gate is at work');
    const go = at('the gate may go on');
    const { task, git } = await place('moved tip', [
      '--verify',
      `test ! -e evil.txt || exit 1; touch '${on}'; while ! test -e '${go}'; do sleep 0.05; done`,
    ]);
    const id = await task('edit good.txt 1\ndone ok');
    await waitFor(() => existsSync(on));
    const { work } = await house.show(id);
    const where = (await workspaceOf(await house.show(id)))?.path ?? '';
    // As a helper would that outlived its agent, while the gate looks at something else.
    await writeFile(join(where, 'evil.txt'), 'x');
    await house.git(where, 'add', '-A');
    await house.git(where, 'commit', '-qm', 'evil');
    await writeFile(go, '');
    const task1 = await house.rest(id);
    expect(standing(task1)).toBe('done');
    expect(await git('ls-tree', '--name-only', 'main')).toBe('README\ngood.txt');
    expect(await git('rev-parse', 'main^2')).toBe(work?.tip);
    // What came later is not lost either.
    expect(
      await git(
        'for-each-ref',
        '--format=%(refname)',
        '--contains',
        (await git('log', '--all', '--format=%H', '--grep=^evil$')).split('\n')[0] ?? '',
        'refs',
      ),
    ).not.toBe('');
  });
});

describe('a result file that is none [R31]', () => {
  fullOnly('is said in the report, and nothing is read through it', async () => {
    const { task } = await place('results', ['--integration', 'none']);
    const result = '"$FLEET_TASK_DIR/../../runs/$FLEET_RUN_ID/result.json"';
    const made = await Promise.all(
      [`ln -s /etc/passwd ${result}`, `mkfifo ${result}`, `truncate -s 100M ${result}`, `printf '{"status":' > ${result}`].map(
        (how) => task(`edit a.txt 1\nsh ${how}\nend succeeded worked`),
      ),
    );
    for (const id of made) {
      expect(standing(await house.rest(id))).toBe('done');
      const { reports } = await reportsOf(id);
      expect(reports).toMatchObject([
        { channel: 'salvage', status: 'succeeded', doubts: [expect.stringContaining('invalid_result')] },
      ]);
      expect(JSON.stringify(reports)).not.toContain('root:');
    }
  });
});

it('nothing is left of all this', async () => {
  await vi.waitFor(async () => expect(await leftovers(house)).toEqual([]), { timeout: 60_000, interval: 300 });
});
