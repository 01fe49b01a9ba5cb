import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inBox } from '../../test/support/in-box.ts';
import { CGROUP_FILES, type CgroupFiles } from './cgroup-files.ts';
import { makeSandboxGroup } from './cgroup-limits.ts';
import { cgroupPlace } from './cgroup-place.ts';
import type { SandboxLimits } from './limits.ts';
import { machineHere } from './machine.ts';
import { below } from './measure.ts';
import { profileOf } from './profile.ts';
import { startBwrap } from './start-bwrap.ts';

const MB = 1024 ** 2;
const LIMITS: SandboxLimits = {
  memoryBytes: 100 * MB,
  inMemory: { places: [], eachBytes: 0 },
  processes: 2,
  tasks: 16,
  userTasks: 16,
  diskBytes: MB,
  directories: [],
};
const IN_IT = 'echo $$ > "$1" || exit 3; shift; exec "$@"';
const here = cgroupPlace();
const lacking =
  'why' in here
    ? here.why
    : here.isToBeLeft
      ? 'all processes of this machine would have to be moved'
      : ['memory', 'pids'].every((name) => here.controllers.some((one) => one === name))
        ? undefined
        : 'a controller is missing';

/** Runs a program in a group of its own, on the kernel that is here. */
async function ranIn(words: readonly string[]) {
  const group = makeSandboxGroup(LIMITS);
  if ('why' in group) throw new Error(group.why);
  const child = spawn('/bin/sh', ['-c', IN_IT, 'sh', group.door, ...words], { stdio: 'ignore' });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  const said = { code, signal, endedFor: group.endedFor(), tooMuch: group.tooMuch() };
  await group.end();
  return { ...said, isGone: !existsSync(dirname(group.door)) };
}

const real = CGROUP_FILES;
/** The kernel that is here, as if it had all controllers: groups, who is in them and how they end are its own. */
const WITHOUT_NUMBERS: CgroupFiles = {
  ...real,
  read: (path) => (/cgroup\.(controllers|subtree_control)$/.test(path) ? 'memory pids' : real.read(path)),
  write: (path, text) => (/(subtree_control|(memory|pids)\.[a-z.]+)$/.test(path) ? undefined : real.write(path, text)),
};
const bare = cgroupPlace({ files: WITHOUT_NUMBERS });
const noGroup = 'why' in bare ? bare.why : bare.isToBeLeft ? 'all processes of this machine would have to be moved' : undefined;

describe.skipIf(noGroup !== undefined)(`a group of the kernel${noGroup === undefined ? '' : `; not run: ${noGroup}`}`, () => {
  inBox('has bubblewrap and all it starts in it, ends them at once and is gone [RUN-16]', async ({ bwrap, directory }) => {
    const group = makeSandboxGroup(LIMITS, { files: WITHOUT_NUMBERS });
    if ('why' in group) throw new Error(group.why);
    const { directories, links } = await machineHere();
    const profile = profileOf({
      machine: { directories, links },
      hidden: [],
      mounts: [{ from: directory, at: directory, as: 'write' }],
      directory,
      network: 'own',
      memoryBytes: MB,
    });
    const command = ['/bin/sh', '-c', 'sleep 600 & echo ready; wait'];
    const child = startBwrap({ bwrap, profile, command, directory, groupDoor: group.door }, ['ignore', 'pipe', 'inherit']);
    const over = once(child, 'exit');
    await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
    const members = readFileSync(group.door, 'utf8').split('\n').filter(Boolean).map(Number);
    expect(new Set(members)).toEqual(new Set([child.pid ?? 0, ...below(child.pid ?? 0)]));
    expect(members.length).toBeGreaterThan(2);
    await group.end();
    expect(await over).toEqual([null, 'SIGKILL']);
    expect(existsSync(dirname(group.door))).toBe(false);
  });
});

describe.skipIf(lacking !== undefined)(`on this kernel${lacking === undefined ? '' : `; not run: ${lacking}`}, a group`, () => {
  it('ends what takes more memory than it may, in one step, and says so', async () => {
    const ran = await ranIn(['perl', '-e', 'my @all; push @all, "x" x 10_000_000 for 1..40']);
    expect(ran).toMatchObject({ code: null, signal: 'SIGKILL', isGone: true });
    expect(ran.endedFor).toMatch(/^it used \d+ MB of memory, sandbox_memory_mb allows 100$/);
  });

  it('refuses processes beyond what it may have, and says so', async () => {
    const ran = await ranIn(['perl', '-e', 'for (1..40) { my $pid = fork; exit 0 if !defined $pid; sleep 600 if !$pid }']);
    expect(ran).toMatchObject({ code: 0, isGone: true });
    expect(ran.tooMuch).toMatch(/^it had 16 processes and threads at once/);
  });
});
