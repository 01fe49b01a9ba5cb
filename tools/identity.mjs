import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Who a process is: its pid and the moment it started, so that a pid used again is somebody else. */
export function identityOf(pid) {
  return `${pid} ${startOf(pid)}`;
}

export function isAlive(identity) {
  const pid = Number.parseInt(identity, 10);
  try {
    return identityOf(pid) === identity;
  } catch {
    return false;
  }
}

/** Throws when there is no such process. A zombie counts as gone. */
function startOf(pid) {
  if (process.platform !== 'linux') return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command name is in parentheses and may hold spaces; what follows is state, ppid, … and start time as field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') throw new Error(`process ${pid} has ended`);
  return `${fields[19]}@${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`;
}
