import { existsSync, readFileSync } from 'node:fs';

/** Whom the programs in a sandbox run as, where whoever starts it is root. */
export interface SandboxUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Where root starts a sandbox it makes the mounts with its own rights, without a user namespace: in one, its uid would still
 * own every file of root's, such as /etc/shadow. These capabilities are what is left for becoming somebody else.
 */
export const TO_CHANGE_USER = ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'];

/** What decides which code the program runs that still has them. */
export const LOADER_VARIABLES = ['LD_PRELOAD', 'LD_LIBRARY_PATH', 'LD_AUDIT'];

const PLACES = ['/usr/bin/setpriv', '/bin/setpriv', '/usr/sbin/setpriv', '/run/current-system/sw/bin/setpriv'];

/**
 * The words in front of a command that make it run as this user for good, in a directory that may be that one's alone. Throws
 * where they cannot be had.
 */
export function asUser({ uid, gid }: SandboxUser, directory: string): string[] {
  const setpriv = PLACES.find((path) => existsSync(path));
  if (setpriv === undefined) throw new Error('setpriv of util-linux was not found, with which root becomes another user');
  return [
    ...[setpriv, '--reuid', String(uid), '--regid', String(gid), '--clear-groups'],
    ...['--inh-caps=-all', '--bounding-set=-all', '--no-new-privs', '--'],
    ...['/bin/sh', '-c', 'cd "$1" && shift && exec "$@"', 'fleet', directory],
  ];
}

/** By a name of /etc/passwd, `UID` or `UID:GID`; or why there is none. Never root. */
export function userNamed(text: string, passwd = readFileSync('/etc/passwd', 'utf8')): SandboxUser | { readonly why: string } {
  const found = /^\d+(:\d+)?$/.test(text) ? text.split(':').map(Number) : idsOf(text, passwd);
  if (!found) return { why: `there is no user ${JSON.stringify(text)} in /etc/passwd` };
  const [uid = 0, gid = uid] = found;
  return uid === 0 || gid === 0 ? { why: `${JSON.stringify(text)} is root` } : { uid, gid };
}

function idsOf(name: string, passwd: string): number[] | undefined {
  const fields = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .find(([first]) => first === name);
  return fields && [Number(fields[2]), Number(fields[3])];
}
