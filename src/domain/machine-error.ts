/** System error codes that describe the present state of the machine. */
const MACHINE = new Set(['EROFS', 'ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'ESTALE', 'EBUSY']);
const RIGHTS = new Set(['EACCES', 'EPERM']);

/** The same conditions as git, the C library and Fleet's own faults word them. */
const MACHINE_WORDS =
  /read-only|no space left|disk is full|disk quota|quota of this user|input\/output error|disk does not answer|too many (?:open files|files are open)|cannot allocate memory|resource temporarily unavailable|the process that starts git is gone/i;
const RIGHTS_WORDS = /permission denied|operation not permitted|may not (?:write|do that) there/i;

const DEPTH = 5;

/**
 * Whether an operation failed because of the present state of the machine, so that a retry can succeed. A missing permission
 * counts only below `own`, a directory of Fleet: anywhere else a person has set it on purpose.
 */
export function isMachineError(error: unknown, own?: string): boolean {
  let cause: unknown = error;
  for (let depth = 0; depth < DEPTH && cause instanceof Error; depth += 1) {
    const { code, path = '' } = cause as Error & { readonly code?: unknown; readonly path?: string };
    const words = `${cause.message} ${path}`;
    if ((typeof code === 'string' && MACHINE.has(code)) || MACHINE_WORDS.test(words)) return true;
    const isRight = (typeof code === 'string' && RIGHTS.has(code)) || RIGHTS_WORDS.test(words);
    if (isRight && own !== undefined && words.includes(own)) return true;
    cause = cause.cause;
  }
  return false;
}

const FIRST_MS = 250;
const MOST_MS = 30_000;

/** Milliseconds to wait after this many failures in a row. */
export const machineRetryMs = (failures: number): number => Math.min(MOST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
