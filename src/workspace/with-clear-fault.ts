import { Fault } from '../domain/fault.ts';

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: make room and try again',
  EDQUOT: 'the quota of this user is used up: make room and try again',
  EROFS: 'the file system is read-only',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not do that there',
  EIO: 'the disk does not answer as it should',
  EMFILE: 'too many files are open',
};

/** What the machine refuses, in words. Everything else is thrown as it came. */
export async function withClearFault<Answer>(what: string, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    const { code = '', path = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
    const advice = error instanceof Fault ? undefined : ADVICE[code];
    if (advice === undefined) throw error;
    throw new Fault('unavailable', `cannot ${what}: ${path === '' ? '' : `${path}: `}${advice}`, { path }, { cause: error });
  }
}
