import type { FaultCode } from '../../domain/fault.ts';

/** What a model should do about each refusal. */
export const ADVICE: Readonly<Record<FaultCode, string>> = {
  invalid: 'Correct the arguments as the message says and call again.',
  unauthenticated: 'The token opens nothing any more. Do not try again; tell the user.',
  forbidden: 'You may not do this. Do not try again; tell the user what you wanted and why.',
  not_found: 'There is no such thing, or it is not yours to see. Use a list tool to find the right id.',
  conflict: 'It is not in a state for that, or it has changed meanwhile. Look at it again before deciding.',
  limit: 'A limit was reached. Wait for running work to end, or ask for less at once.',
  unavailable: 'Fleet cannot do it right now. Wait a few seconds and call again with the same arguments.',
};
