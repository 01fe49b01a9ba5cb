import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../domain/fault.ts';
import { hasCode } from '../../platform/files.ts';
import { scanProcesses, statSync } from '../../platform/proc.ts';
import type { Site } from '../site.ts';

const VARIABLE = 'FLEET_GIT_AT';
const WAIT_MS = 10_000;
const POLL_MS = 5;

/** Names the site in the environment of a git of ours that changes its files, so that it can be found when we are gone. */
export const namedAfter = (site: Site): Readonly<Record<string, string>> => ({ [VARIABLE]: site.path });

/**
 * A git of ours that is still at work at a site though whoever started it was killed. It would go on writing files under
 * the feet of the next one, so it is ended first; only then are the locks it holds known to be nobody's.
 */
export async function endOrphans(site: Site): Promise<void> {
  if (process.platform !== 'linux') return;
  const orphans = (await scanProcesses([VARIABLE])).filter(({ variables }) => variables[VARIABLE] === site.path);
  const isThere = ({ pid, started }: { pid: number; started: string }): boolean => statSync(pid)?.started === started;
  for (const orphan of orphans) if (isThere(orphan)) end(orphan.pid);
  const until = performance.now() + WAIT_MS;
  while (orphans.some(isThere)) {
    if (performance.now() > until)
      throw new Fault('unavailable', `a git that was left behind at ${site.path} does not end`, {
        pids: orphans.map(({ pid }) => pid),
      });
    await sleep(POLL_MS);
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
