import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { fullOnly } from '../full-only.ts';
import { commitIn, leftovers, onMain, type WorkHouse, workHouse } from '../support/work-house.ts';
import { standing } from '../support/work-place.ts';

const simple = 'edit feature.txt it works\ndone added';
const refs = (house: WorkHouse, below: string) => house.says('for-each-ref', '--format=%(refname)', below);

/** A gate that says when it is on, and goes on when it is let. */
async function gates(house: WorkHouse) {
  const place = join(house.directory, 'gates');
  await mkdir(place);
  return {
    command: `n=$(ls '${place}' | grep -c on); touch '${place}'/on-$n; while ! test -e '${place}'/go-$n; do sleep 0.1; done`,
    isOn: (n: number) => vi.waitFor(() => readFile(join(place, `on-${n}`)), { timeout: 60_000, interval: 50 }),
    go: (n: number) => writeFile(join(place, `go-${n}`), ''),
  };
}

const prune = async (house: WorkHouse) => {
  await house.says('reflog', 'expire', '--expire=now', '--all');
  expect(await house.git(house.repo, 'gc', '--quiet', '--prune=now')).toMatchObject({ code: 0 });
};

describe('what a landing has made', () => {
  it('outlives every git gc while the gate looks at it, and leaves no ref behind [WORK-06] [R30]', async () => {
    await using house = await workHouse();
    const gate = await gates(house);
    await house.ok(['project', 'set', 'shop', '--verify', gate.command]);
    const id = await house.create(simple);
    const second = await house.create('edit other.txt also\ndone added', '--after', id);
    await gate.isOn(0);
    await commitIn(house, { 'mine.txt': 'mine\n' });
    await gate.go(0);
    await gate.isOn(1);
    // Not even a worktree of ours may be what keeps it.
    await prune(house);
    await gate.go(1);
    expect(standing(await house.rest(id))).toBe('done');
    for (const n of [2, 3, 4]) await gate.go(n);
    expect(standing(await house.rest(second))).toBe('done');
    expect([await onMain(house, 'feature.txt'), await onMain(house, 'mine.txt')]).toEqual(['it works', 'mine']);
    // What is no longer needed goes after the work has landed.
    await expect.poll(() => refs(house, 'refs/fleet/landing'), { timeout: 60_000 }).toBe('');
    await expect.poll(() => refs(house, 'refs/fleet/start'), { timeout: 60_000 }).toBe('');
    await expect.poll(() => leftovers(house), { timeout: 60_000 }).toEqual([]);
  });

  it('is made again when it was removed by force between two steps [WORK-06] [R30]', async () => {
    await using house = await workHouse([], { engine: false });
    await commitIn(house, { 'a.txt': 'a\n' });
    const engine = await house.up({ FLEET_STALL_AT: 'advance.before:1' });
    const id = await house.create(simple);
    await vi.waitFor(() => expect(stateOf(engine.process.pid)).toBe('T'), { timeout: 60_000, interval: 50 });
    await house.says('update-ref', '-d', `refs/fleet/landing/${id}`);
    await prune(house);
    engine.process.kill('SIGCONT');
    expect(standing(await house.rest(id))).toBe('done');
    expect(await onMain(house, 'feature.txt')).toBe('it works');
    const events = (await house.ok(['task', 'events', id])).out;
    expect(events).toContain('landing begun anew');
    await expect.poll(() => leftovers(house), { timeout: 60_000 }).toEqual([]);
  });
});

const stateOf = (pid: number | undefined) => /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];

/** A git that refuses, or stands still, at one command while a file is there. */
async function gitThat(house: WorkHouse, command: string, does: string) {
  const [bin, flag] = [join(house.directory, 'bin'), join(house.directory, 'flag')];
  await mkdir(bin);
  const real = process.env['PATH'] ?? '';
  const script = `#!/bin/sh\nif test -e '${flag}'; then case " $* " in *" ${command} "*) echo x >> '${flag}'; ${does};; esac; fi\nPATH='${real}' exec git "$@"\n`;
  await writeFile(join(bin, 'git'), script, { mode: 0o755 });
  await writeFile(flag, '');
  return {
    PATH: `${bin}:${real}`,
    met: (times: number) =>
      vi.waitFor(() => expect(readFileSync(flag, 'utf8').split('\n').length).toBeGreaterThan(times), {
        timeout: 60_000,
        interval: 50,
      }),
    over: () => rm(flag),
  };
}

/** Processes this one has started, with a word in their command line. */
const childOf = (parent: number | undefined, word: string): number | undefined =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0)
    .find((pid) => {
      try {
        const isChild = Number(/\) \w (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]) === parent;
        return isChild && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word);
      } catch {
        return false;
      }
    });

describe('a setback of the machine', () => {
  const READ_ONLY = `echo "fatal: unable to create '.git/index.lock': Read-only file system" >&2; exit 128`;

  it.each([
    ['where a workspace is made', 'read-tree', 'running'],
    ['where work is landed', 'merge-tree', 'merging'],
  ])('is waited out %s, is said meanwhile, and needs no person', async (_where, command, state) => {
    await using house = await workHouse([], { engine: false });
    const git = await gitThat(house, command, READ_ONLY);
    const engine = await house.up({ PATH: git.PATH });
    const id = await house.create(simple);
    await git.met(3);
    expect((await house.show(id)).phase.state).toBe(state);
    expect((await house.ok(['task', 'show', id])).out).toMatch(/Trouble .*Read-only file system/);
    await git.over();
    expect(standing(await house.rest(id))).toBe('done');
    expect(JSON.stringify(await house.show(id))).not.toContain('Read-only');
    // Said when it was new, and then less and less often.
    expect(engine.log().split('action.failed').length).toBeLessThan(6);
    await expect.poll(() => leftovers(house), { timeout: 60_000 }).toEqual([]);
  });

  async function cancelsAndGoesOn(does: string): Promise<void> {
    await using house = await workHouse([], { engine: false });
    const git = await gitThat(house, 'merge-tree', does);
    await house.up({ PATH: git.PATH });
    const stuck = await house.create(simple);
    const next = await house.create('edit other.txt also\ndone added');
    await git.met(1);
    await house.ok(['task', 'cancel', stuck]);
    const canceled = await house.rest(stuck);
    expect(standing(canceled)).toBe('canceled');
    expect(await house.says('show', `${canceled.work?.kept?.ref}:feature.txt`)).toBe('it works');
    await git.over();
    expect(standing(await house.rest(next))).toBe('done');
    expect(await house.says('ls-tree', '--name-only', 'main')).toBe('README\nother.txt');
    await expect.poll(() => leftovers(house), { timeout: 60_000 }).toEqual([]);
  }

  it('that never ends can be canceled, and the next one lands', () => cancelsAndGoesOn(READ_ONLY));
  // A git that stands still is ended after two minutes.
  fullOnly('whose git stands still can be canceled, and the next one lands', () => cancelsAndGoesOn('exec sleep 600'));

  it.each([['read-tree'], ['update-ref']])(
    'is the death of the process that starts git, also in the middle of %s',
    async (command) => {
      await using house = await workHouse([], { engine: false });
      const git = await gitThat(house, command, 'sleep 10');
      const engine = await house.up({ PATH: git.PATH });
      const id = await house.create(simple);
      await git.met(1);
      await git.over();
      const helper = childOf(engine.process.pid, 'git-helper');
      expect(helper).toBeGreaterThan(0);
      process.kill(helper as number, 'SIGKILL');
      expect(standing(await house.rest(id))).toBe('done');
      expect(await onMain(house, 'feature.txt')).toBe('it works');
    },
  );
});

describe('a clone', () => {
  it('whose repository was half removed when the engine died is released [R30]', async () => {
    await using house = await workHouse(['--isolation', 'clone'], { engine: false });
    const engine = await house.up({ FLEET_CRASH_AT: 'reset.before:1' });
    const id = await house.create(simple);
    await vi.waitFor(() => expect(engine.process.signalCode).toBe('SIGKILL'), { timeout: 60_000, interval: 50 });
    const [left] = await house.workspaces();
    const path = left?.path ?? '';
    await rm(join(path, '.git', 'HEAD'));
    const mark = join(`${path}.fleet`, 'mark.json');
    await writeFile(mark, (await readFile(mark, 'utf8')).replace('"made"', '"clearing"'));
    const next = await house.up();
    await vi.waitFor(async () => expect((await house.workspaces()).filter(({ state }) => state === 'leaving')).toEqual([]), {
      timeout: 60_000,
      interval: 300,
    });
    expect((await house.workspaces()).map(({ state, use }) => [state, use.kind])).toEqual([['ready', 'free']]);
    expect(next.log()).not.toContain('action.failed');
    expect(standing(await house.rest(id))).toBe('done');
    await expect.poll(() => leftovers(house), { timeout: 60_000 }).toEqual([]);
  });
});
