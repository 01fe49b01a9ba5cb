import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';

/** Whether bubblewrap can do here what a sandbox needs; if not, why, and the command that repairs it where one is known. */
export type Probed = { readonly works: true } | { readonly works: false; readonly why: string; readonly repair?: string };

const PROBE_MS = 10_000;
const ARGS = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-net',
  '--ro-bind',
  '/',
  '/',
  '--dev',
  '/dev',
  '--proc',
  '/proc',
  'true',
];

/** By trying: no file says for certain what a kernel, a container and a security module let through together. */
export async function probe(bwrap: string): Promise<Probed> {
  const problem = await new Promise<string | undefined>((resolve) => {
    execFile(bwrap, ARGS, { timeout: PROBE_MS, encoding: 'utf8' }, (error, _out, err) =>
      resolve(error ? err.trim().split('\n')[0] || error.message : undefined),
    );
  });
  if (problem === undefined) return { works: true };
  return { works: false, why: `bubblewrap cannot make one here: ${problem}`, ...(await repairOf()) };
}

/** Switches that forbid namespaces to ordinary users, by the value that does. */
const SWITCHES = [
  { name: 'kernel.unprivileged_userns_clone', forbids: '0', set: '1' },
  { name: 'user.max_user_namespaces', forbids: '0', set: '15000' },
  { name: 'kernel.apparmor_restrict_unprivileged_userns', forbids: '1', set: '0' },
] as const;

async function repairOf(): Promise<{ readonly repair?: string }> {
  for (const { name, forbids, set } of SWITCHES) {
    const value = await readFile(`/proc/sys/${name.replaceAll('.', '/')}`, 'utf8').catch(() => '');
    if (value.trim() === forbids) return { repair: `sudo sysctl -w ${name}=${set}` };
  }
  return {};
}
