/** Processors whose system calls are known here. */
export type Processor = 'x64' | 'arm64';

/** By the number on x64 and on arm64; `undefined` where that processor has no such call. */
type Numbers = readonly [x64: number, arm64: number | undefined];

/** What changes mounts, namespaces, keys, time or the kernel itself, or reads memory and events of others: refused. */
export const REFUSED: Readonly<Record<string, Numbers>> = {
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  setns: [308, 268],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  lookup_dcookie: [212, 18],
  syslog: [103, 116],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  acct: [163, 89],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  create_module: [174, undefined],
  query_module: [178, undefined],
  nfsservctl: [180, 42],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  uselib: [134, undefined],
  _sysctl: [156, undefined],
  vhangup: [153, 58],
};

/**
 * Answered as if the kernel had none: programs then take the older call, which can be looked into. What io_uring does passes
 * no filter at all; `openat2` and `clone3` say what they want where no filter sees it.
 */
export const ABSENT: Readonly<Record<string, Numbers>> = {
  clone3: [435, 435],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  openat2: [437, 437],
};

/** Let through or refused by an argument. */
export const LOOKED_INTO = {
  clone: [56, 220],
  unshare: [272, 97],
  ioctl: [16, 29],
  socket: [41, 198],
  chmod: [90, undefined],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  mknod: [133, undefined],
  mknodat: [259, 33],
  creat: [85, undefined],
  open: [2, undefined],
  openat: [257, 56],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  pidfd_open: [434, 434],
  prlimit64: [302, 261],
  shmget: [29, 194],
  semget: [64, 190],
} as const satisfies Readonly<Record<string, Numbers>>;

/** The newest call that was looked at when these lists were made (Linux 6.18). Later ones do not exist in a sandbox. */
export const NEWEST = 469;

export const numberOn = (processor: Processor, [x64, arm64]: Numbers): number | undefined => (processor === 'x64' ? x64 : arm64);
