import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';

/** A process of this machine that cannot be mistaken for another: its number, when it began, and since which boot. */
export interface ProcessIdentity {
  readonly boot: string;
  readonly pid: number;
  readonly started: string;
}

/** The seam to the operating system. Linux is proved; elsewhere pid and time of asking are all there is. */
export async function identityOf(pid: number): Promise<ProcessIdentity | undefined> {
  const [boot, started] = await Promise.all([bootId(), startTime(pid)]);
  return started === undefined ? undefined : { boot, pid, started };
}

let own: Promise<ProcessIdentity> | undefined;

/** Of this process: it cannot change, so it is looked up once. */
export const ownIdentity = (): Promise<ProcessIdentity> => {
  own ??= identityOf(process.pid).then((found) => found ?? { boot: 'unknown', pid: 0, started: 'unknown' });
  return own;
};

export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  const now = await identityOf(identity.pid);
  return now !== undefined && now.boot === identity.boot && now.started === identity.started;
}

export const hostName = (): string =>
  hostname()
    .replaceAll(/[^A-Za-z0-9.-]/g, '-')
    .slice(0, 64) || 'localhost';

const bootId = async (): Promise<string> =>
  (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => 'unknown')).trim();

/** Field 22 of /proc/PID/stat; the name in field 2 may itself contain spaces and brackets. */
async function startTime(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return isThere(pid) ? 'unknown' : undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended: it only waits to be asked how.
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux';
  } catch {
    return false;
  }
}
