import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inBox } from '../../test/support/in-box.ts';
import type { SandboxLimits } from './limits.ts';
import { onDisk } from './measure.ts';
import { watchLimits } from './watch-limits.ts';

const GB = 1024 ** 3;
const LIMITS: SandboxLimits = {
  memoryBytes: GB,
  inMemory: { places: [], eachBytes: 0 },
  processes: 100,
  tasks: 1_600,
  userTasks: 1_600,
  diskBytes: GB,
  directories: [],
};
const inotify = (watchers: number, watches: number): string => `
  my ($init, $add) = qx(uname -m) =~ /x86/ ? (294, 254) : (26, 27);
  my @all = map { syscall($init, 0) } 1..${watchers};
  for my $n (1..${watches}) { my $path = "/etc"; syscall($add, $all[$n % @all], $path, 0x200) }
  print "ready\\n"; $| = 1; sleep 600`;

/** What is said of a process below another, as a sandbox is below its bubblewrap. */
async function saidOf(script: string, here: { watchers: number; watches: number }, limits = LIMITS): Promise<string | undefined> {
  const parent = spawn('/bin/sh', ['-c', '"$@" & echo started; wait', 'sh', 'perl', '-e', `$| = 1; ${script}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  let out = '';
  try {
    for await (const text of parent.stdout.setEncoding('utf8')) {
      out += text;
      if (out.includes('ready')) break;
    }
    const watch = await watchLimits('/nowhere/bwrap', limits, here);
    let looks = 0;
    return await watch.tooMuch(parent.pid ?? 0, () => (looks += 1) <= 1);
  } finally {
    process.kill(-(parent.pid ?? 0), 'SIGKILL');
    await once(parent, 'exit');
  }
}

describe('whoever watches over a sandbox', () => {
  it('leaves half of the watchers and watches of files to its user [RUN-16] [T13]', async () => {
    expect(await saidOf(inotify(4, 0), { watchers: 8, watches: 100 })).toBeUndefined();
    expect(await saidOf(inotify(5, 0), { watchers: 8, watches: 100 })).toMatch(/^it had 5 watchers with 0 watches of files/);
    expect(await saidOf(inotify(3, 3), { watchers: 8, watches: 4 })).toMatch(/^it had 3 watchers with 3 watches of files/);
    expect(await saidOf(inotify(3, 2), { watchers: 8, watches: 4 })).toBeUndefined();
  });

  it('counts what the kernel needs for pages that hold nothing [RUN-16] [T13]', async () => {
    const tables = `my $number = qx(uname -m) =~ /x86/ ? 9 : 222;
      my $at = syscall($number, 0, 1 << 37, 1, 0x4022, -1, 0);
      for my $n (0..65_535) { my $byte = unpack("P1", pack("Q", $at + ($n << 21))) }
      print "ready\\n"; sleep 600`;
    expect(await saidOf(tables, { watchers: 100, watches: 100 }, { ...LIMITS, memoryBytes: 100 * 1024 ** 2 })).toMatch(
      /^it used \d+ MB of memory/,
    );
  });

  it('ends what it is kept from looking at [RUN-16] [T13]', async () => {
    const watch = await watchLimits('/nowhere/bwrap', LIMITS);
    // No process has this number: as if no descriptor were left to look with.
    expect(await watch.tooMuch(2 ** 30, () => true)).toMatch(/^its processes could not be looked at/);
  });

  inBox('counts files that hold nothing, and directories', async ({ bwrap, directory }) => {
    for (let n = 0; n < 20; n += 1) await writeFile(join(directory, String(n)), '');
    expect(await onDisk(bwrap, [directory])).toMatchObject({ files: 21 });
  });
});
