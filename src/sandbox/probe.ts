import { readFile } from 'node:fs/promises';
import { startHelper } from './helper.ts';
import { processorHere } from './seccomp.ts';
import type { SandboxUser } from './user.ts';

/** Whether bubblewrap can do here what a sandbox needs; if not, why, and the command that repairs it where one is known. */
export type ProbeResult =
  | {
      readonly works: true;
      /** As root: why nobody else can be made to run in it. */
      readonly rootAlone?: string;
    }
  | { readonly works: false; readonly why: string; readonly repair?: string };

const PROBE_MS = 10_000;
const MOST_SAID = 4_096;

/** By trying: no file says for certain what a kernel, a container and a security module let through together. */
export async function probe(bwrap: string): Promise<ProbeResult> {
  if (processorHere() === undefined) return { works: false, why: `no filter of system calls is known for ${process.arch}` };
  const [problem, rootAlone] = await Promise.all([
    problemOf(bwrap),
    process.getuid?.() === 0 ? problemOf(bwrap, ANYBODY) : undefined,
  ]);
  if (problem === undefined) return { works: true, ...(rootAlone === undefined ? {} : { rootAlone }) };
  if (/unknown option/i.test(problem))
    return { works: false, why: `bubblewrap is too old: ${problem}; 0.8.0 or newer is needed` };
  return { works: false, why: `bubblewrap cannot make one here: ${problem}`, ...(await repairOf()) };
}

/** Only to see whether root can become somebody else in there. */
const ANYBODY: SandboxUser = { uid: 65_534, gid: 65_534 };

const problemOf = (bwrap: string, user?: SandboxUser): Promise<string | undefined> =>
  tried(bwrap, user).catch((error: unknown) => (error instanceof Error ? error.message : String(error)));

/** With everything a run gets. */
async function tried(bwrap: string, user?: SandboxUser): Promise<string | undefined> {
  const command = ['/bin/sh', '-c', 'exit 0'];
  const child = await startHelper(
    { bwrap, mounts: [], directory: '/', env: {}, command, programs: [], ...(user ? { user } : {}) },
    ['ignore', 'ignore', 'pipe'],
  );
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(0, MOST_SAID);
  });
  const late = setTimeout(() => child.kill('SIGKILL'), PROBE_MS);
  const code = await new Promise<number | string>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('close', (exit, signal) => resolve(exit ?? `ended by ${signal}`));
  });
  clearTimeout(late);
  return code === 0 ? undefined : said.trim().split('\n')[0] || `it ended with ${code}`;
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
