import { ABSENT, LOOKED_INTO, NEWEST, numberOn, type Processor, REFUSED } from './syscalls.ts';

/** As the kernel names them in what a filter sees. */
const ARCHITECTURES: Readonly<Record<Processor, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** Offsets into what a filter sees of a call; of an argument the lower half, which is all the kernel heeds of these. */
const AT = { number: 0, architecture: 4, first: 16, second: 24, secondUpper: 28, third: 32, fourth: 40 };

const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const EINVAL = 0x00050016;
const EAFNOSUPPORT = 0x00050061;
const EPROTONOSUPPORT = 0x0005005d;

/** New namespaces of any kind. */
const CLONE_NEW = 0x7e020000;
/** Only `unshare` takes this one: in `clone` the bit belongs to a signal. */
const NEW_TIME = 0x80;
/** What types into a terminal as if its person had. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** Unix, IPv4 and IPv6, besides the kernel's own. Others, like those of virtual machines, know no namespaces. */
const FAMILIES = [1, 2, 10];
const NETLINK = 16;
/** Addresses and routes, and the sockets there are: what `ip` and `ss` ask for. */
const NETLINK_PROTOCOLS = [0, 4];
/** A file that runs as its owner, whoever starts it: outside of the sandbox that would be somebody's rights for the taking. */
const SET_ID = 0o6000;
/** Of a flag that makes a file; without it nobody says which mode one would have. */
const MAKES_FILE = 0x400040;
/** Of bubblewrap's own: it buries the dead and says how the command ended. It cannot have another number in there. */
const FIRST_PROCESS = 1;
/**
 * Segments and semaphores of System V are memory that no process has once they have let go of it, so that nobody can count it.
 * Databases need small ones, to know of each other.
 */
const LARGEST_SEGMENT = 65_536;
const MOST_SEMAPHORES = 64;
/** Numbers of a second set of calls on x64. */
const X32 = 0x40000000;

type Instruction = readonly [code: number, value: number, ifTrue?: number, ifFalse?: number];

/** What is on processors like this one; undefined where the numbers of system calls are not known. */
export const processorHere = (): Processor | undefined =>
  process.arch === 'x64' || process.arch === 'arm64' ? process.arch : undefined;

/** A filter of system calls as the kernel takes it: what bubblewrap reads from the descriptor of `--seccomp`. */
export function seccompFilter(processor: Processor): Buffer {
  const program = programFor(processor);
  const bytes = Buffer.alloc(program.length * 8);
  for (const [n, [code, value, ifTrue = 0, ifFalse = 0]] of program.entries()) {
    bytes.writeUInt16LE(code, n * 8);
    bytes.writeUInt8(ifTrue, n * 8 + 2);
    bytes.writeUInt8(ifFalse, n * 8 + 3);
    bytes.writeUInt32LE(value, n * 8 + 4);
  }
  return bytes;
}

/** Each test jumps over what follows it at once, so that no jump is long. */
const programFor = (processor: Processor): Instruction[] => [
  [LOAD, AT.architecture],
  [IF_EQUAL, ARCHITECTURES[processor], 1, 0],
  [RETURN, ENOSYS],
  [LOAD, AT.number],
  ...(processor === 'x64' ? answered(IF_AT_LEAST, X32, ENOSYS) : []),
  ...answered(IF_AT_LEAST, NEWEST + 1, ENOSYS),
  ...numbersOf(REFUSED, processor).flatMap((number) => answered(IF_EQUAL, number, EPERM)),
  ...numbersOf(ABSENT, processor).flatMap((number) => answered(IF_EQUAL, number, ENOSYS)),
  ...looked(processor, 'clone', [[LOAD, AT.first], ...answered(IF_ANY_BIT, CLONE_NEW, EPERM), [RETURN, ALLOW]]),
  ...looked(processor, 'unshare', [[LOAD, AT.first], ...answered(IF_ANY_BIT, CLONE_NEW + NEW_TIME, EPERM), [RETURN, ALLOW]]),
  ...looked(processor, 'ioctl', [
    [LOAD, AT.second],
    ...[TIOCSTI, TIOCLINUX].flatMap((request) => answered(IF_EQUAL, request, EPERM)),
    [RETURN, ALLOW],
  ]),
  ...looked(processor, 'socket', [
    [LOAD, AT.first],
    [IF_EQUAL, NETLINK, 0, 2 + NETLINK_PROTOCOLS.length * 2],
    [LOAD, AT.third],
    ...NETLINK_PROTOCOLS.flatMap((protocol) => answered(IF_EQUAL, protocol, ALLOW)),
    [RETURN, EPROTONOSUPPORT],
    ...FAMILIES.flatMap((family) => answered(IF_EQUAL, family, ALLOW)),
    [RETURN, EAFNOSUPPORT],
  ]),
  ...(['chmod', 'fchmod', 'mknod', 'creat'] as const).flatMap((name) => looked(processor, name, noSetId(AT.second))),
  ...(['fchmodat', 'fchmodat2', 'mknodat'] as const).flatMap((name) => looked(processor, name, noSetId(AT.third))),
  ...looked(processor, 'shmget', [
    [LOAD, AT.second],
    ...answered(IF_AT_LEAST, LARGEST_SEGMENT + 1, EINVAL),
    [LOAD, AT.secondUpper],
    ...answered(IF_AT_LEAST, 1, EINVAL),
    [RETURN, ALLOW],
  ]),
  ...looked(processor, 'semget', [[LOAD, AT.second], ...answered(IF_AT_LEAST, MOST_SEMAPHORES + 1, EINVAL), [RETURN, ALLOW]]),
  ...looked(processor, 'ptrace', notFirst(AT.second)),
  ...(['process_vm_readv', 'process_vm_writev', 'pidfd_open', 'prlimit64'] as const).flatMap((name) =>
    looked(processor, name, notFirst(AT.first)),
  ),
  ...looked(processor, 'open', ifMade(AT.second, noSetId(AT.third))),
  ...looked(processor, 'openat', ifMade(AT.third, noSetId(AT.fourth))),
  [RETURN, ALLOW],
];

/** Debuggers may work in there, on everybody but the first process. */
const notFirst = (process: number): Instruction[] => [
  [LOAD, process],
  ...answered(IF_EQUAL, FIRST_PROCESS, EPERM),
  [RETURN, ALLOW],
];

const noSetId = (mode: number): Instruction[] => [[LOAD, mode], ...answered(IF_ANY_BIT, SET_ID, EPERM), [RETURN, ALLOW]];

const ifMade = (flags: number, then: readonly Instruction[]): Instruction[] => [
  [LOAD, flags],
  [IF_ANY_BIT, MAKES_FILE, 1, 0],
  [RETURN, ALLOW],
  ...then,
];

const answered = (test: number, value: number, answer: number): Instruction[] => [
  [test, value, 0, 1],
  [RETURN, answer],
];

const looked = (processor: Processor, name: keyof typeof LOOKED_INTO, then: readonly Instruction[]): Instruction[] => {
  const number = numberOn(processor, LOOKED_INTO[name]);
  return number === undefined ? [] : [[IF_EQUAL, number, 0, then.length], ...then];
};

const numbersOf = (calls: typeof REFUSED, processor: Processor): number[] =>
  Object.values(calls).flatMap((numbers) => numberOn(processor, numbers) ?? []);
