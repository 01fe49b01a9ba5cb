import { mkdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../domain/fault.ts';
import { hasCode } from '../../platform/files.ts';
import { identityOf, isAlive, type ProcessIdentity } from '../../platform/process-identity.ts';

const patienceMs = 10_000;
const everyMs = 15;
/** Work under the lock takes milliseconds; a holder this old that cannot be named has died before it said its name. */
const namelessMs = 5_000;

/** Runs alone among the processes that ask for the same lock. The lock of a dead process is taken away. */
export async function withFileLock<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  const deadline = performance.now() + patienceMs;
  const me = JSON.stringify(await identityOf(process.pid));
  while (!(await taken(path, me))) {
    await removeIfDead(path);
    if (performance.now() > deadline) {
      throw new Fault(
        'unavailable',
        `another process holds ${path} and does not let go: if no fleet command runs, remove that file`,
        { lock: path },
      );
    }
    await sleep(everyMs);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function taken(path: string, me: string): Promise<boolean> {
  try {
    await writeFile(path, me, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Only one process at a time may judge: otherwise a slow judge would remove the lock of a new, living holder. */
async function removeIfDead(path: string): Promise<void> {
  if (!(await isDead(path))) return;
  const bench = `${path}.judge`;
  try {
    await mkdir(bench);
  } catch {
    return;
  }
  try {
    if (await isDead(path)) await rm(path, { force: true });
  } finally {
    await rmdir(bench);
  }
}

async function isDead(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return false;
  try {
    return !(await isAlive(JSON.parse(text) as ProcessIdentity));
  } catch {
    const found = await stat(path).catch(() => undefined);
    return found !== undefined && Date.now() - found.mtimeMs > namelessMs;
  }
}
