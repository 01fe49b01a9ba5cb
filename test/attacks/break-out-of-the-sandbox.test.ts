import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { root } from '../../tools/paths.mjs';
import { type Box, inBox, scriptIn } from '../support/in-box.ts';

/** Each line of a script that succeeds says so. */
const achieved = async (box: Box, attempts: Readonly<Record<string, string>>): Promise<string[]> => {
  const lines = Object.entries(attempts).map(([name, line]) => `(${line}) > /dev/null 2>&1 && echo '${name}'`);
  const { out } = await scriptIn(box, `${lines.join('\n')}\necho tried`);
  const said = out.trim().split('\n');
  expect(said.at(-1)).toBe('tried');
  return said.slice(0, -1);
};

const number = (x64: number, arm64: number) => `$([ "$(uname -m)" = x86_64 ] && echo ${x64} || echo ${arm64})`;
const refusedWith = (code: string, call: string, ...words: string[]) =>
  `perl -MErrno -e 'exit(${call} == -1 && $!{${code}} ? 1 : 0)' ${words.join(' ')}`;

describe('an agent that wants out of its sandbox', () => {
  inBox('makes no namespace in which it could take away what is mounted over its files [RUN-16] [T17]', async (box) => {
    const perl = (call: string) => `perl -e 'exit(${call} == -1 ? 1 : 0)'`;
    expect(
      await achieved(box, {
        'user namespace': 'unshare -U true',
        'mount namespace': 'unshare -m true',
        'user and mount': 'unshare -Urm true',
        'enter one of the first process': 'nsenter -t 1 -m true',
        'by clone': `[ "$(uname -m)" = x86_64 ] && ${perl('syscall(56, 0x10000011, 0, 0, 0, 0)')}`,
        'by clone3': perl('syscall(435, pack("Q11", 0x10000000, (0) x 10), 88)'),
        'mount anything': 'mount -t tmpfs none /tmp',
        'mount by the new calls': perl('syscall(430, "tmpfs", 0)'),
        'change the root': 'chroot / true',
      }),
    ).toEqual([]);
  });

  inBox('writes nowhere the kernel listens, also as root [RUN-16] [T17]', async (box) => {
    const before = await readFile('/proc/sys/kernel/core_pattern', 'utf8');
    expect(
      await achieved(box, {
        'name a program for crashes': 'exec 3>> /proc/sys/kernel/core_pattern',
        'drop caches': 'exec 3>> /proc/sys/vm/drop_caches',
        'press the magic key': '[ -e /proc/sysrq-trigger ] && exec 3>> /proc/sysrq-trigger',
        'change who serves an interrupt': 'exec 3>> /proc/irq/default_smp_affinity',
        'open its files to others': 'chmod 777 /proc/sys/kernel/core_pattern',
        'change the devices of the machine': 'exec 3>> /sys/kernel/uevent_helper',
        'see the devices of the machine': 'ls /sys/class',
        'have its crashes handed to a program of the machine': `! grep -q '^Max core file size *1 *1 ' /proc/self/limits`,
        'join a cgroup': '[ -d /sys/fs/cgroup ]',
        'read messages of the kernel': 'dmesg',
        'make a device': 'mknod device b 8 0',
        'load a program into the kernel': `perl -e 'exit(syscall($ARGV[0], 0, 0, 0) == -1 && $!{EPERM} ? 1 : 0)' $([ "$(uname -m)" = x86_64 ] && echo 321 || echo 280)`,
      }),
    ).toEqual([]);
    expect(await readFile('/proc/sys/kernel/core_pattern', 'utf8')).toBe(before);
  });

  inBox('types into no terminal, holds no key, and reaches no machine beside its network [RUN-16] [T17]', async (box) => {
    expect(
      await achieved(box, {
        'type into a terminal': refusedWith('EPERM', 'syscall($ARGV[0], 0, 0x5412, "x")', number(16, 29)),
        'read keys': refusedWith('EPERM', 'syscall($ARGV[0], 0, -3, 0)', number(250, 219)),
        'work past the filter': refusedWith('ENOSYS', 'syscall(425, 8, 0)'),
        'call as another processor would': `[ "$(uname -m)" = x86_64 ] && ${refusedWith('ENOSYS', 'syscall(0x40000000 + 39)')}`,
        'speak to the machine below': `perl -e 'exit(socket(my $s, 40, 1, 0) ? 0 : 1)'`,
        'reach a network': `perl -MSocket -e 'socket(my $s, AF_INET, SOCK_STREAM, 0); exit(connect($s, sockaddr_in(53, inet_aton("1.1.1.1"))) ? 0 : 1)'`,
      }),
    ).toEqual([]);
  });

  inBox('neither stops, reads nor changes the first process of its sandbox, and debugs its own [RUN-16] [T17]', async (box) => {
    const own = 'sleep 60 & pid=$!; trap "kill -9 $pid" EXIT;';
    const traced = (pid: string) =>
      `perl -e 'exit(syscall($ARGV[0], 16, $ARGV[1] + 0, 0, 0) == 0 ? 0 : 1)' ${number(101, 117)} ${pid}`;
    expect(
      await achieved(box, {
        'trace it': refusedWith('EPERM', 'syscall($ARGV[0], 16, 1, 0, 0)', number(101, 117)),
        'trace it by a longer number': refusedWith('EPERM', 'syscall($ARGV[0], 16, 0x100000001, 0, 0)', number(101, 117)),
        'seize it': refusedWith('EPERM', 'syscall($ARGV[0], 0x4206, 1, 0, 0)', number(101, 117)),
        'read its memory': refusedWith('EPERM', 'syscall($ARGV[0], 1, 0, 0, 0, 0, 0)', number(310, 270)),
        'write its memory': refusedWith('EPERM', 'syscall($ARGV[0], 1, 0, 0, 0, 0, 0)', number(311, 271)),
        'write its memory as a file': 'exec 3<> /proc/1/mem',
        'take its descriptors': refusedWith('EPERM', 'syscall($ARGV[0], 1, 0)', number(434, 434)),
        'hold it to limits': refusedWith('EPERM', 'syscall($ARGV[0], 1, 0, 0, 0)', number(302, 261)),
        'stop it': `kill -STOP 1; sleep 0.2; grep -q '^State:.*[tT] ' /proc/1/status`,
        'debug its own': `${own} ${traced('$pid')}`,
      }),
    ).toEqual(['debug its own']);
  });

  inBox('sees nothing of the machine but programs, and writes nowhere but where it may [RUN-16] [T11]', async (box) => {
    const { out } = await scriptIn(box, 'ls /; cat /proc/self/mountinfo');
    const top = out.split('\n').filter((line) => /^[a-z0-9]+$/.test(line));
    for (const name of ['home', 'root', 'srv', 'mnt', 'media', 'boot', 'var']) expect(top).not.toContain(name);
    const writable = out.split('\n').flatMap((line) => {
      const [, , , , at, flags] = line.split(' ');
      return flags?.startsWith('rw') && !at?.startsWith('/dev/') ? [at] : [];
    });
    expect(writable).toEqual(expect.arrayContaining(['/tmp', box.directory]));
    expect(writable.filter((at) => at !== '/tmp' && at !== box.directory)).toEqual([]);
    expect(
      await achieved(box, {
        'fill memory through /dev': 'echo x > /dev/file',
        root: 'echo x > /file',
        etc: 'echo x > /etc/file',
      }),
    ).toEqual([]);
  });

  inBox('leaves no file that gives its rights to whoever starts it, and signals nobody outside [RUN-16] [T17]', async (box) => {
    expect(
      await achieved(box, {
        'set the user id': 'cp /bin/true own && chmod 4755 own',
        'set the group id': 'cp /bin/true own && chmod 2755 own',
        'set it when it is made': `perl -MFcntl -e 'umask 0; exit(sysopen(my $f, "made", O_CREAT | O_WRONLY, 04755) ? 0 : 1)'`,
        'speak to the audit of the kernel': `perl -e 'exit(socket(my $s, 16, 3, 9) ? 0 : 1)'`,
        'be in a group with somebody outside': `[ "$(cut -d' ' -f5 /proc/self/stat)" = 0 ]`,
        'be in a session with somebody outside': `[ "$(cut -d' ' -f6 /proc/self/stat)" = 0 ]`,
      }),
    ).toEqual([]);
  });

  inBox('finds no descriptor that somebody left open around Fleet [RUN-16] [T11]', async (box) => {
    // As a shell does with `exec 77< DIRECTORY`: Node passes on what lies above the first gap.
    const starter = `
      const { startHelper } = await import(${JSON.stringify(join(root, 'src/sandbox/helper.ts'))});
      const child = await startHelper({ bwrap: ${JSON.stringify(box.bwrap)}, mounts: [], directory: '/', env: { PATH: '/usr/bin:/bin' },
        programs: [], command: ['/bin/sh', '-c', 'ls /proc/$$/fd; cat /proc/$$/fd/77/secret'] }, ['ignore', 'inherit', 'ignore']);
      child.once('exit', () => process.exit(0));`;
    await writeFile(join(box.directory, 'secret'), 'canary');
    const shell = spawn(
      'bash',
      [
        '-c',
        'exec 77< "$1"; shift; exec "$@"',
        'bash',
        box.directory,
        process.execPath,
        '--import',
        'tsx',
        '--input-type=module',
        '--eval',
        starter,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let out = '';
    shell.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    await once(shell, 'close');
    expect(out).toBe('0\n1\n2\n');
  });

  inBox('hides no memory in what nobody is attached to, and has small segments as databases do [RUN-16] [T13]', async (box) => {
    expect(
      await achieved(box, {
        'a segment': `perl -e 'exit(defined shmget(0, 1_000_000, 01600) ? 0 : 1)'`,
        'a thousand semaphores': `perl -e 'exit(defined semget(0, 1_000, 01600) ? 0 : 1)'`,
        'a small segment': `perl -e 'exit(defined shmget(0, 56, 01600) ? 0 : 1)'`,
        'some semaphores': `perl -e 'exit(defined semget(0, 17, 01600) ? 0 : 1)'`,
      }),
    ).toEqual(['a small segment', 'some semaphores']);
  });

  inBox('fills no more memory through its /tmp than it was given [RUN-16]', async (box) => {
    const { out, err } = await scriptIn(box, 'head -c 200000000 /dev/zero > /tmp/much; stat -c %s /tmp/much');
    expect(err).toContain('No space left');
    expect(Number(out)).toBeLessThan(70_000_000);
  });
});

describe('what an honest agent needs', () => {
  inBox('works in there: git, Node, Python, threads, pipes and sockets of its own [RUN-16]', async (box) => {
    const script = `
      set -e
      git init -q repo && cd repo && git config user.name a && git config user.email a@b
      echo 1 > file && git add file && git commit -qm one && git log --format=%s && git status --short && git gc -q
      "${process.execPath}" -e '
        const { Worker } = require("node:worker_threads");
        const { execFileSync } = require("node:child_process");
        require("node:http").createServer((q, a) => a.end("served")).listen(0, "127.0.0.1", async function () {
          console.log(await (await fetch("http://127.0.0.1:" + this.address().port)).text());
          console.log(execFileSync("echo", ["child"], { encoding: "utf8" }).trim());
          new Worker("console.log(\\"thread\\")", { eval: true }).on("exit", () => process.exit(0));
        })'
      if command -v python3 > /dev/null && [ -x /usr/bin/python3 ]; then /usr/bin/python3 -c 'import subprocess, threading; t = threading.Thread(target=lambda: None); t.start(); t.join(); subprocess.run(["true"], check=True)'; fi
      (sleep 5 & kill %1 2> /dev/null || true); echo over > /dev/null; echo done`;
    expect(await scriptIn(box, script)).toEqual({ code: 0, out: 'one\nserved\nchild\nthread\ndone\n', err: '' });
  });
});
