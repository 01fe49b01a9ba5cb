import { access, chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { cgroupPlace } from '../../src/sandbox/cgroup-place.ts';
import { boxed, boxHouse } from '../support/box-house.ts';

/** What each of them takes is bounded: it goes on to wait where nobody ends it. */
const MEMORY = `perl -e 'my @all; for (1..8) { push @all, "x" x 50_000_000; select(undef, undef, undef, 0.05) } sleep 600'`;
const IN_MEMORY = 'for n in 1 2 3 4 5 6; do head -c 50000000 /dev/zero > /tmp/$n; done; sleep 600';
/** In memory, and mapped by nobody. */
const HIDDEN = `perl -e 'my $number = qx(uname -m) =~ /x86/ ? 319 : 279; my $name = "hidden"; open(my $file, "+<&=", syscall($number, $name, 0)) or die; print $file "x" x 50_000_000 for 1..8; sleep 600'`;
const CROWD = 'n=0; while [ $n -lt 150 ]; do n=$((n + 1)); setsid sleep 600 & done; wait';
/** In directories that are memory, and hold nothing. */
const EMPTY_IN_MEMORY = `perl -e 'for (1..400_000) { open my $f, ">", "/tmp/$_" or die } sleep 600'`;
const EMPTY = `perl -e 'for (1..40_000) { open my $f, ">", $_ or die } sleep 600'`;
/** One process each, and a thousand threads. */
const THREADS = `for n in 1 2 3; do UV_THREADPOOL_SIZE=1024 "${process.execPath}" -e 'require("fs").stat("/", () => setTimeout(() => {}, 600000))' & done; wait`;
const FILES =
  'mkdir closed; for n in 1 2 3 4 5 6 7 8; do head -c 20000000 /dev/urandom > closed/$n; done; chmod 000 closed; sleep 600';
const NAMELESS = [
  ...[3, 4, 5, 6, 7, 8].map((fd) => `exec ${fd}> nameless; rm nameless; head -c 25000000 /dev/urandom >&${fd}`),
  'sleep 600',
].join('\n');
const IN_HOME = 'for n in 1 2 3 4 5 6 7 8; do head -c 20000000 /dev/urandom > ~/$n; done; sleep 600';
const LARGE =
  'truncate -s 900G sparse 2> /dev/null && echo made; head -c 90000000 /dev/zero > large; ls -l large | cut -d" " -f5; exit 0';

describe('an agent in a sandbox that wants the whole machine', () => {
  boxed('is ended when it takes more memory than it may [RUN-16] [T13]', async () => {
    await using house = await boxHouse(['sandbox_memory_mb=200', 'max_attempts=3']);
    await house.up();
    const wishes = [MEMORY, IN_MEMORY, HIDDEN, EMPTY_IN_MEMORY];
    const hogs = await Promise.all(wishes.map((script) => house.create(`${script}\nexit 0`, '--sandbox')));
    const modest = await house.create(`perl -e 'my $x = "x" x 50_000_000; print "had it\n"'; exit 0`, '--sandbox');
    await house.settled([...hogs, modest]);
    for (const id of hogs) {
      const runs = await house.runs(id);
      expect(runs.map(({ phase }) => phase.outcome)).toEqual(['over_budget']);
      expect(runs[0]?.phase.detail).toMatch(/^it used \d+ MB of memory, sandbox_memory_mb allows 200$/);
      expect((await house.task(id)).phase.reason).toContain('sandbox_memory_mb');
    }
    expect(await house.said(modest)).toBe('had it\n');
    await vi.waitFor(() => expect(house.marked()).toEqual([]));
  });

  boxed(
    'is ended for its memory also when it has tried to leave nothing to whoever looks, by opening every way out [RUN-16] [T13]',
    async () => {
      await using house = await boxHouse(['sandbox_memory_mb=200', 'max_attempts=3']);
      await house.up(['prlimit', '--nofile=2048:2048']);
      const hold = `perl -MSocket -e 'for (1..1000) { socket($s[$_], AF_UNIX, SOCK_STREAM, 0); connect($s[$_], sockaddr_un("/run/fleet/proxy")) } print "held\n"; $| = 1; sleep 600' > held$n &`;
      const id = await house.create(
        `for n in 1 2 3; do ${hold} done; while [ "$(cat held* | wc -l)" -lt 3 ]; do sleep 0.1; done; ${MEMORY}\nexit 0`,
        '--sandbox',
      );
      await house.settled([id]);
      expect((await house.runs(id))[0]?.phase.detail).toMatch(/^it used \d+ MB of memory, sandbox_memory_mb allows 200$/);
    },
  );

  boxed('is ended when it forks without end, before the engine has looked [RUN-16] [R22]', async () => {
    await using house = await boxHouse(['max_processes=64', 'max_attempts=3']);
    const engine = await house.up();
    const bomb = await house.create(`${CROWD}\nexit 0`, '--sandbox');
    const sibling = await house.create('for n in 1 2 3 4 5; do sh -c "echo $n"; sleep 0.1; done; exit 0', '--sandbox');
    await house.settled([bomb, sibling]);
    const runs = await house.runs(bomb);
    expect(runs.map(({ phase }) => phase.outcome)).toEqual(['over_budget']);
    expect(runs[0]?.phase.detail).toMatch(/^it had \d+ processes at once, max_processes allows 64$/);
    expect(await house.said(sibling)).toBe('1\n2\n3\n4\n5\n');
    await vi.waitFor(() => expect(house.marked()).toEqual([]));
    expect(engine.log()).not.toContain('stuck');
  });

  boxed('is ended when it starts threads without end, which are no processes [RUN-16] [R22]', async () => {
    await using house = await boxHouse(['max_processes=64', 'max_attempts=3']);
    await house.up();
    const bomb = await house.create(`${THREADS}\nexit 0`, '--sandbox');
    await house.settled([bomb]);
    const runs = await house.runs(bomb);
    expect(runs.map(({ phase }) => phase.outcome)).toEqual(['over_budget']);
    expect(runs[0]?.phase.detail).toMatch(
      /^it had \d+ processes and threads at once, max_processes allows 64 processes and 1024 /,
    );
    await vi.waitFor(() => expect(house.marked()).toEqual([]));
  });

  boxed(
    'is ended when it stops everything in there, its first program too, and shows no sign of life [RUN-16] [T13]',
    async () => {
      await using house = await boxHouse(['stall_seconds=3', 'max_attempts=1']);
      await house.up();
      const still = await house.create('(trap "" TERM; setsid sleep 600) & kill -STOP $! $PPID $$; exit 0', '--sandbox');
      await house.settled([still]);
      expect(await house.outcomes(still)).toEqual(['stalled']);
      await vi.waitFor(() => expect(house.marked()).toEqual([]));
    },
  );

  boxed('is ended when it makes more files than its share, which hold nothing [RUN-16] [T13]', async () => {
    await using house = await boxHouse(['sandbox_disk_mb=60', 'max_attempts=3']);
    await house.up();
    const id = await house.create(`${EMPTY}\nexit 0`, '--sandbox');
    await house.settled([id]);
    const runs = await house.runs(id);
    expect(runs.map(({ phase }) => phase.outcome)).toEqual(['over_budget']);
    expect(runs[0]?.phase.detail).toMatch(
      /^it added \d+ files to its workspace and its homes, sandbox_disk_mb allows \d+ with its 60 MB$/,
    );
  });

  boxed('keeps no other from a plain directory that it works in [RUN-16]', async () => {
    await using house = await boxHouse();
    await house.up();
    const directory = join(house.directory, 'shared');
    await mkdir(directory);
    const create = async (prompt: string) =>
      (await house.ok(['task', 'create', '--directory', directory, '--prompt', prompt, '--sandbox', '--json'])).json<{
        id: string;
      }>().id;
    const first = await create('touch begun; while [ ! -e go ]; do sleep 0.05; done; exit 0');
    await vi.waitFor(() => access(join(directory, 'begun')));
    const second = await create('exit 0');
    await writeFile(join(directory, 'go'), '');
    await house.settled([first, second]);
    for (const id of [first, second]) expect(await house.outcomes(id)).toEqual(['succeeded']);
  });

  boxed('is ended when it fills the disk, also by what du does not see [RUN-16] [T13]', async () => {
    await using house = await boxHouse(['sandbox_disk_mb=60', 'max_attempts=3']);
    await house.up();
    const wishes = [FILES, NAMELESS, IN_HOME].map((script, n) => ({ title: `filler${n}`, script }));
    for (const { title, script } of wishes) {
      const directory = join(house.directory, title);
      await mkdir(directory);
      const words = ['task', 'create', '--directory', directory, '--prompt', `${script}\nexit 0`, '--sandbox', '--json'];
      const { id } = (await house.ok(words)).json<{ id: string }>();
      await house.settled([id]);
      const runs = await house.runs(id);
      expect(runs.map(({ phase }) => phase.outcome)).toEqual(['over_budget']);
      expect(runs[0]?.phase.detail).toMatch(/^it added \d+ MB to its workspace and its homes, sandbox_disk_mb allows 60$/);
      if (script === FILES) await chmod(join(directory, 'closed'), 0o700);
    }
  });

  boxed('makes no file that is larger than all of it may be [RUN-16] [T13]', async () => {
    await using house = await boxHouse(['sandbox_disk_mb=60']);
    await house.up();
    const id = await house.create(LARGE, '--sandbox');
    await house.settled([id]);
    expect(await house.said(id)).toBe(`${60 * 1024 * 1024}\n`);
  });

  boxed('is told where nothing holds it to its processors [RUN-16]', async () => {
    await using house = await boxHouse(['sandbox_cpus=1']);
    await house.up();
    const id = await house.create('exit 0', '--sandbox');
    await house.settled([id]);
    const [run] = await house.runs(id);
    const files = await readdir(join(house.home, 'runs', run?.id ?? ''));
    const said = await Promise.all(
      files.map((name) => readFile(join(house.home, 'runs', run?.id ?? '', name), 'utf8').catch(() => '')),
    );
    const place = cgroupPlace();
    const isHeld = !('why' in place) && place.controllers.includes('cpu');
    expect(said.some((text) => text.includes('fleet sandbox: sandbox_cpus holds nothing here: '))).toBe(!isHeld);
  });
});
