import { describe, expect, it } from 'vitest';
import { seccompFilter } from './seccomp.ts';
import { ABSENT, LOOKED_INTO, NEWEST, numberOn, type Processor, REFUSED } from './syscalls.ts';

const ARCHITECTURES = { x64: 0xc000003e, arm64: 0xc00000b7, i386: 0x40000003, arm: 0x40000028 };

/** What the kernel does with the bytes: the small machine of classic BPF, as far as the filter uses it. */
function judged(
  bytes: Buffer,
  { architecture, number, args = [] }: { architecture: number; number: number; args?: bigint[] },
): string {
  const seen = Buffer.alloc(64);
  seen.writeUInt32LE(number >>> 0, 0);
  seen.writeUInt32LE(architecture >>> 0, 4);
  for (const [n, arg] of args.entries()) seen.writeBigUInt64LE(arg, 16 + 8 * n);
  let held = 0;
  for (let at = 0; at < bytes.length / 8; at += 1) {
    const [code, yes, no, value] = [
      bytes.readUInt16LE(at * 8),
      bytes.readUInt8(at * 8 + 2),
      bytes.readUInt8(at * 8 + 3),
      bytes.readUInt32LE(at * 8 + 4),
    ];
    if (code === 0x20) held = seen.readUInt32LE(value);
    else if (code === 0x06) return ANSWERS[value] ?? `unknown ${value}`;
    else at += isTrue(code, held, value) ? yes : no;
  }
  return 'fell off the end';
}

const isTrue = (code: number, held: number, value: number): boolean => {
  if (code === 0x15) return held === value;
  if (code === 0x35) return held >= value;
  if (code === 0x45) return (held & value) !== 0;
  throw new Error(`no instruction ${code}`);
};

const ANSWERS: Readonly<Record<number, string>> = {
  [0x7fff0000]: 'allowed',
  [0x00050001]: 'EPERM',
  [0x00050026]: 'ENOSYS',
  [0x00050016]: 'EINVAL',
  [0x00050061]: 'EAFNOSUPPORT',
  [0x0005005d]: 'EPROTONOSUPPORT',
};

describe.each(['x64', 'arm64'] as const)('the filter of system calls on %s', (processor: Processor) => {
  const filter = seccompFilter(processor);
  const asked = (number: number, ...args: (number | bigint)[]) =>
    judged(filter, { architecture: ARCHITECTURES[processor], number, args: args.map(BigInt) });
  const on = (name: keyof typeof LOOKED_INTO) => numberOn(processor, LOOKED_INTO[name]) ?? -1;

  it('refuses what changes mounts, keys and the kernel, and has none of what passes filters by [RUN-16] [T17]', () => {
    for (const [name, numbers] of Object.entries(REFUSED)) {
      const number = numberOn(processor, numbers);
      if (number !== undefined) expect([name, asked(number)]).toEqual([name, 'EPERM']);
    }
    for (const numbers of Object.values(ABSENT)) expect(asked(numberOn(processor, numbers) ?? -1)).toBe('ENOSYS');
  });

  it('lets processes and threads be made, and no namespace', () => {
    for (const harmless of [17, 0x3d0f00, 0x4111, 0x7d0f00]) expect(asked(on('clone'), harmless)).toBe('allowed');
    for (const kind of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]) {
      expect([kind, asked(on('clone'), kind + 17)]).toEqual([kind, 'EPERM']);
      expect([kind, asked(on('unshare'), kind)]).toEqual([kind, 'EPERM']);
    }
    expect(asked(on('unshare'), 0x80)).toBe('EPERM');
    expect(asked(on('unshare'), 0x200)).toBe('allowed');
  });

  it('lets nobody type into a terminal, however the rest of the argument is filled', () => {
    for (const request of [0x5412, 0x541c]) {
      expect(asked(on('ioctl'), 0, request)).toBe('EPERM');
      expect(asked(on('ioctl'), 0, BigInt(request) + (0xffn << 32n))).toBe('EPERM');
    }
    expect(asked(on('ioctl'), 0, 0x5413)).toBe('allowed');
  });

  it('knows no family of sockets that leads past the namespace of its network', () => {
    for (const family of [1, 2, 10]) expect(asked(on('socket'), family)).toBe('allowed');
    for (const protocol of [0, 4]) expect(asked(on('socket'), 16, 3, protocol)).toBe('allowed');
    for (const protocol of [6, 9, 11, 12, 15, 16]) expect(asked(on('socket'), 16, 3, protocol)).toBe('EPROTONOSUPPORT');
    for (const family of [17, 21, 30, 38, 40, 44]) expect(asked(on('socket'), family)).toBe('EAFNOSUPPORT');
  });

  it('makes no file that runs as its owner, whoever starts it', () => {
    const O_CREAT = 0x40;
    const asks = {
      chmod: (mode: number) => [0, mode],
      fchmod: (mode: number) => [0, mode],
      fchmodat: (mode: number) => [0, 0, mode],
      fchmodat2: (mode: number) => [0, 0, mode],
      mknod: (mode: number) => [0, mode | 0o100000],
      mknodat: (mode: number) => [0, 0, mode | 0o100000],
      creat: (mode: number) => [0, mode],
      open: (mode: number) => [0, O_CREAT, mode],
      openat: (mode: number) => [0, 0, O_CREAT, mode],
    } as const;
    for (const [name, args] of Object.entries(asks) as [keyof typeof asks, (mode: number) => number[]][]) {
      if (numberOn(processor, LOOKED_INTO[name]) === undefined) continue;
      for (const mode of [0o4755, 0o2755, 0o6700]) expect([name, asked(on(name), ...args(mode))]).toEqual([name, 'EPERM']);
      for (const mode of [0o755, 0o1777, 0]) expect([name, asked(on(name), ...args(mode))]).toEqual([name, 'allowed']);
    }
    // What is only opened has no mode, whatever happens to stand there.
    expect(asked(on('openat'), 0, 0, 0x80000, 0o6755)).toBe('allowed');
  });

  it('lets debuggers at every process in there but the first, however the rest of the argument is filled [T17]', () => {
    for (const [name, at] of [
      ...[['ptrace', 1] as const],
      ...(['process_vm_readv', 'process_vm_writev', 'pidfd_open', 'prlimit64'] as const).map((one) => [one, 0] as const),
    ]) {
      const on1 = (process: bigint) => asked(on(name), ...(at === 1 ? [16n, process] : [process]));
      expect([name, on1(1n), on1(1n + (0xffn << 32n))]).toEqual([name, 'EPERM', 'EPERM']);
      for (const other of [0n, 2n, 3n, 0xffffffffn, 1n << 32n])
        expect([name, other, on1(other)]).toEqual([name, other, 'allowed']);
    }
  });

  it('has only small segments and few semaphores that outlive who uses them [T13]', () => {
    for (const size of [0n, 56n, 65_536n]) expect([size, asked(on('shmget'), 0, size)]).toEqual([size, 'allowed']);
    for (const size of [65_537n, 1n << 31n, 1n << 32n, (1n << 40n) + 1n, (1n << 64n) - 1n])
      expect([size, asked(on('shmget'), 0, size)]).toEqual([size, 'EINVAL']);
    for (const count of [0, 1, 64]) expect([count, asked(on('semget'), 0, count)]).toEqual([count, 'allowed']);
    for (const count of [65, 32_000, 0xffffffff]) expect([count, asked(on('semget'), 0, count)]).toEqual([count, 'EINVAL']);
  });

  it('has no calls that are newer than it is, none of another processor, and lets the rest through', () => {
    for (const number of [NEWEST + 1, 1000, 0x40000000, 0x40000000 + 165, 0xffffffff]) expect(asked(number)).toBe('ENOSYS');
    for (const architecture of [ARCHITECTURES.i386, ARCHITECTURES.arm])
      expect(judged(filter, { architecture, number: 1 })).toBe('ENOSYS');
    const listed = [...Object.values(REFUSED), ...Object.values(ABSENT), ...Object.values(LOOKED_INTO)];
    const numbers = new Set(listed.map((one) => numberOn(processor, one)));
    for (let number = 0; number <= NEWEST; number += 1) if (!numbers.has(number)) expect(asked(number)).toBe('allowed');
    expect(new Set([...numbers].filter((one) => one !== undefined)).size).toBe(
      listed.filter((one) => numberOn(processor, one) !== undefined).length,
    );
  });
});
