import { z } from 'zod';
import { HostRule } from './host-rule.ts';
import { count, setting } from './setting.ts';
import { DEFAULT_SANDBOX_HOSTS } from './setting-defaults.ts';
import { Path, Title } from './values.ts';

/** Settings for every run in a sandbox. */
export const SANDBOX_SETTINGS = {
  sandbox_hosts: setting({
    summary:
      'hosts a run in a sandbox may reach: host, *.host or host:port; without a port, 80 and 443; * alone is the whole network',
    schema: z.array(HostRule).max(500),
    default: DEFAULT_SANDBOX_HOSTS,
    env: 'FLEET_SANDBOX_HOSTS',
  }),
  sandbox_read: setting({
    summary: 'files and directories of your home that a run in a sandbox may read, like ~/.cargo',
    schema: z.array(Path).max(200),
    default: [],
    env: 'FLEET_SANDBOX_READ',
  }),
  sandbox_write: setting({
    summary: 'files and directories outside its workspace that a run in a sandbox may change',
    schema: z.array(Path).max(200),
    default: [],
    env: 'FLEET_SANDBOX_WRITE',
  }),
  sandbox_user: setting({
    summary: 'if Fleet runs as root: user of runs in a sandbox, as a name of /etc/passwd, UID or UID:GID; never root',
    schema: Title,
    default: 'nobody',
    env: 'FLEET_SANDBOX_USER',
  }),
  sandbox_as_root: setting({
    summary:
      'if Fleet runs as root: whether a run in a sandbox that must change files of root runs as root instead of sandbox_user; if not, it is refused',
    schema: z.boolean(),
    default: false,
    env: 'FLEET_SANDBOX_AS_ROOT',
  }),
  sandbox_tmp_mb: setting({
    summary: 'megabytes each in-memory directory of a sandbox may hold: its /tmp, /dev/shm and the like',
    schema: count(1_048_576),
    default: 2048,
    env: 'FLEET_SANDBOX_TMP_MB',
  }),
  sandbox_memory_mb: setting({
    summary:
      'megabytes of memory for all processes of one run in a sandbox and its in-memory directories; more ends the run as over_budget. Unset is three quarters of the memory of the machine',
    schema: count(1_073_741_824),
    default: undefined,
    env: 'FLEET_SANDBOX_MEMORY_MB',
  }),
  sandbox_disk_mb: setting({
    summary:
      'megabytes one run in a sandbox may add to its workspace and its homes; more ends the run as over_budget. No single file can be larger',
    schema: count(1_073_741_824),
    default: 20_480,
    env: 'FLEET_SANDBOX_DISK_MB',
  }),
  sandbox_cpus: setting({
    summary:
      'processors one run in a sandbox may use; held where Fleet has a cgroup with the controller cpu, and `fleet doctor` says so. Unset it only yields to everything else',
    schema: count(4096),
    default: undefined,
    env: 'FLEET_SANDBOX_CPUS',
  }),
  sandbox_seconds: setting({
    summary: 'seconds a task in a sandbox may run in all if it has no timeout of its own; then it ends as timed_out',
    schema: count(31_536_000),
    default: 86_400,
    env: 'FLEET_SANDBOX_SECONDS',
  }),
};
