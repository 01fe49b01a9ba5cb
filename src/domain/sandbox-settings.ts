import { z } from 'zod';
import { HostRule } from './host-rule.ts';
import { count, setting } from './setting.ts';
import { HOSTS } from './setting-defaults.ts';
import { Path, Title } from './values.ts';

/** What holds for every run in a sandbox. */
export const SANDBOX_SETTINGS = {
  sandbox_hosts: setting({
    summary:
      'what a run in a sandbox may reach: host, *.host or host:port; without a port 80 and 443; * alone is the whole network',
    schema: z.array(HostRule).max(500),
    default: HOSTS,
    env: 'FLEET_SANDBOX_HOSTS',
  }),
  sandbox_read: setting({
    summary: 'files and directories of your home that a run in a sandbox may read, like ~/.cargo',
    schema: z.array(Path).max(200),
    default: [],
    env: 'FLEET_SANDBOX_READ',
  }),
  sandbox_write: setting({
    summary: 'files and directories that a run in a sandbox may change besides its workspace',
    schema: z.array(Path).max(200),
    default: [],
    env: 'FLEET_SANDBOX_WRITE',
  }),
  sandbox_user: setting({
    summary: 'where Fleet runs as root: whom runs in a sandbox run as; a name of /etc/passwd, UID or UID:GID, and never root',
    schema: Title,
    default: 'nobody',
    env: 'FLEET_SANDBOX_USER',
  }),
  sandbox_as_root: setting({
    summary:
      'where Fleet runs as root: whether a run in a sandbox that cannot run as sandbox_user, because it is to change files of root, runs as root; else it is refused',
    schema: z.boolean(),
    default: false,
    env: 'FLEET_SANDBOX_AS_ROOT',
  }),
  sandbox_tmp_mb: setting({
    summary: 'how much each directory in memory of a sandbox holds at most: its /tmp, /dev/shm and the like',
    schema: count(1_048_576),
    default: 2048,
    env: 'FLEET_SANDBOX_TMP_MB',
  }),
  sandbox_memory_mb: setting({
    summary:
      'megabytes of memory the processes of one run in a sandbox may have together, with its directories in memory; more ends it as over_budget. Unset is three quarters of what the machine has',
    schema: count(1_073_741_824),
    default: undefined,
    env: 'FLEET_SANDBOX_MEMORY_MB',
  }),
  sandbox_disk_mb: setting({
    summary:
      'megabytes one run in a sandbox may add to its workspace and its homes; more ends it as over_budget. No single file can be larger',
    schema: count(1_073_741_824),
    default: 20_480,
    env: 'FLEET_SANDBOX_DISK_MB',
  }),
  sandbox_seconds: setting({
    summary: 'seconds a task in a sandbox may run in all where it has no timeout of its own; then it is ended as timed_out',
    schema: count(31_536_000),
    default: 86_400,
    env: 'FLEET_SANDBOX_SECONDS',
  }),
};
