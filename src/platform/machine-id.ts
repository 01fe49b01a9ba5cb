import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** Linux: made when the system was installed, and the same over every change of its name. */
const LINUX_FILES = ['/etc/machine-id', '/var/lib/dbus/machine-id'];
const TIMEOUT_MS = 2_000;

/**
 * A digest that tells this machine from others, or undefined where the system has no such number. The number itself is not
 * to be shown to others (machine-id(5)), so it leaves only as a digest.
 */
export async function machineId(): Promise<string | undefined> {
  const found = process.platform === 'darwin' ? await hardwareUuid() : await firstLine(LINUX_FILES);
  return found === undefined ? undefined : createHash('sha256').update(`fleet ${found}`).digest('hex').slice(0, 32);
}

async function firstLine(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    const text = (await readFile(file, 'utf8').catch(() => '')).trim();
    // An image that was not started yet says "uninitialized".
    if (/^[0-9a-f]{32}$/.test(text)) return text;
  }
  return undefined;
}

const hardwareUuid = (): Promise<string | undefined> =>
  new Promise((resolve) => {
    execFile('/usr/sbin/sysctl', ['-n', 'kern.uuid'], { timeout: TIMEOUT_MS }, (error, out) =>
      resolve(error || out.trim() === '' ? undefined : out.trim()),
    );
  });
