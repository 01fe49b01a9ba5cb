import { FAULT_CODES, Fault, type FaultCode } from '../domain/fault.ts';

/** The HTTP status of each fault. */
export const HTTP_STATUS: Readonly<Record<FaultCode, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  limit: 429,
  unavailable: 503,
};

/** The body of a refusal, `application/problem+json`. */
export interface Problem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** A fault code, or `bug`. */
  readonly code: FaultCode | 'bug';
  readonly details?: Readonly<Record<string, unknown>>;
  /** Id of the entry in the server's log. */
  readonly id?: string;
}

const TITLES: Readonly<Record<FaultCode, string>> = {
  invalid: 'The request is wrong',
  unauthenticated: 'No valid token',
  forbidden: 'Not allowed',
  not_found: 'No such thing',
  conflict: 'Not in a state for that',
  limit: 'A limit was reached',
  unavailable: 'Not available now',
};

export const problemOf = ({ code, message, details }: Fault): Problem => ({
  type: 'about:blank',
  title: TITLES[code],
  status: typeof details['status'] === 'number' ? details['status'] : HTTP_STATUS[code],
  detail: message,
  code,
  ...(Object.keys(details).length === 0 ? {} : { details }),
});

/** The fault in an error answer. A body that is no problem of Fleet means that another program answered. */
export function faultFromProblem(status: number, body: unknown): Fault {
  if (!isProblem(body)) return new Fault('unavailable', `the server answered ${status}, and not as Fleet does`);
  const { code, detail, details, id } = body;
  if (code === 'bug') return new Fault('unavailable', `${detail}${id === undefined ? '' : ` (${id} in the server's log)`}`);
  return new Fault(code, detail, { ...details });
}

const isProblem = (body: unknown): body is Problem =>
  typeof body === 'object' &&
  body !== null &&
  'code' in body &&
  'detail' in body &&
  typeof body.detail === 'string' &&
  (body.code === 'bug' || FAULT_CODES.some((code) => code === body.code));
