import { Fault, isFault } from './fault.ts';

const CODES: readonly unknown[] = ['ENOSPC', 'EDQUOT'];

/** The error as a fault if it means a full disk or a used-up quota; any other error unchanged. */
export function toNoSpaceFault(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || !CODES.includes(error.code)) return error;
  const where = 'path' in error && typeof error.path === 'string' ? ` for ${error.path}` : '';
  const what = error.code === 'EDQUOT' ? 'the disk quota of this user is used up' : 'the disk is full';
  return new Fault(
    'unavailable',
    `${what}: no space${where}`,
    { full: true, hint: 'free some space and try again; what was accepted is safe' },
    { cause: error },
  );
}

/** Whether the operation would succeed once the disk has room. */
export const isNoSpace = (error: unknown): boolean => {
  const refused = toNoSpaceFault(error);
  return isFault(refused) && refused.details['full'] === true;
};
