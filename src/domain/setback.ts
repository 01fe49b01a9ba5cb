/** Codes of the system for a machine that cannot do now what it can do at other times. */
const MACHINE = new Set(['EROFS', 'ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'ESTALE', 'EBUSY']);
const RIGHTS = new Set(['EACCES', 'EPERM']);

/** The same in the words of git, of the C library, and of our own faults. */
const MACHINE_WORDS =
  /read-only|no space left|disk is full|disk quota|quota of this user|input\/output error|disk does not answer|too many (?:open files|files are open)|cannot allocate memory|resource temporarily unavailable|the process that starts git is gone/i;
const RIGHTS_WORDS = /permission denied|operation not permitted|may not (?:write|do that) there/i;

const DEPTH = 5;

/**
 * Whether something failed because of the state of the machine and not because of what was asked, so that the same will
 * work once that is over. A missing right is a setback only below `own`, a directory of ours: elsewhere a person has set it.
 */
export function isSetback(error: unknown, own?: string): boolean {
  let cause: unknown = error;
  for (let depth = 0; depth < DEPTH && cause instanceof Error; depth += 1) {
    const { code, path = '' } = cause as Error & { readonly code?: unknown; readonly path?: string };
    const said = `${cause.message} ${path}`;
    if ((typeof code === 'string' && MACHINE.has(code)) || MACHINE_WORDS.test(said)) return true;
    const isRight = (typeof code === 'string' && RIGHTS.has(code)) || RIGHTS_WORDS.test(said);
    if (isRight && own !== undefined && said.includes(own)) return true;
    cause = cause.cause;
  }
  return false;
}

const FIRST_MS = 250;
const MOST_MS = 30_000;

/** How long to rest after so many failures in a row. */
export const restAfter = (failures: number): number => Math.min(MOST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
