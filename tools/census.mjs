import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf, isAlive } from './identity.mjs';

const patienceMs = 3_000;

/**
 * Processes still alive that carry `NAME=value` in their environment, after a moment to end by themselves.
 * Environments can be read on Linux only; elsewhere the census says so by answering undefined.
 */
export async function census(name, value) {
  if (process.platform !== 'linux') return undefined;
  const until = performance.now() + patienceMs;
  for (;;) {
    const found = marked(`${name}=${value}`);
    if (found.length === 0 || performance.now() > until) return found;
    await sleep(100);
  }
}

/** Ends what the census found, each by its own pid, and only while that pid is still the same process. */
export function end(found) {
  for (const { pid, identity } of found) {
    if (isAlive(identity)) process.kill(pid, 'SIGKILL');
  }
}

function marked(mark) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => look(Number(name), mark));
}

function look(pid, mark) {
  try {
    if (!readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark)) return [];
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return [{ pid, identity: identityOf(pid), command }];
  } catch {
    return []; // ended while we looked, or not ours to read
  }
}
