import type { FaultCode } from '../../domain/fault.ts';

/** How each refusal leaves the program. `docs/reference` and `fleet --help` are made from EXIT_CODES below. */
const BY_FAULT: Readonly<Record<FaultCode, number>> = {
  invalid: 2,
  not_found: 3,
  conflict: 4,
  forbidden: 5,
  limit: 6,
  unavailable: 7,
  unauthenticated: 8,
};

export const EXIT_CODES = { ok: 0, bug: 1, ...BY_FAULT, interrupted: 130 } as const satisfies Record<string, number>;

export const EXIT_CODE_MEANINGS: Readonly<Record<keyof typeof EXIT_CODES, string>> = {
  ok: 'it worked',
  bug: 'a fault in Fleet itself',
  invalid: 'the command or a value is wrong',
  not_found: 'no such thing',
  conflict: 'it is not in a state for that',
  forbidden: 'not allowed',
  unauthenticated: 'no token, or one that opens nothing',
  limit: 'a limit was reached',
  unavailable: 'store, disk or server cannot be reached',
  interrupted: 'stopped by Ctrl-C',
};
