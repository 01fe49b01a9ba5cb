/** How a provider refuses a request: each protocol has a status and words for every kind. */
export const REFUSALS = [
  'rate_limit',
  'quota_spent',
  'credit',
  'overloaded',
  'server_error',
  'unauthorized',
  'forbidden',
  'bad_request',
  'unknown_model',
  'context_full',
] as const;
export type Refusal = (typeof REFUSALS)[number];

/** How an answer goes wrong on its way. */
export const ACCIDENTS = ['hang', 'stall', 'truncate', 'drop', 'malformed', 'stream_error'] as const;
export type Accident = (typeof ACCIDENTS)[number];

export type FaultKind = Refusal | Accident;

export interface Trouble {
  readonly kind: Refusal;
  readonly message: string;
  /** When to come again. */
  readonly seconds: number;
  /** The same as a moment, in milliseconds since 1970. */
  readonly until: number;
}

/** How much of a subscription is used up. */
export interface Quota {
  readonly percent: number;
  /** Milliseconds since 1970. */
  readonly until: number;
}

export const MESSAGES: Readonly<Record<Refusal, string>> = {
  rate_limit: 'Rate limit reached: too many requests. Please try again later.',
  quota_spent: 'The usage limit of this account has been reached.',
  credit: 'Your credit balance is too low. Please go to billing to add credits.',
  overloaded: 'Overloaded',
  server_error: 'Internal server error',
  unauthorized: 'invalid api key',
  forbidden: 'Your account does not have permission to use this resource.',
  bad_request: 'The request is not valid.',
  unknown_model: 'The model does not exist or you do not have access to it.',
  context_full: 'prompt is too long: 210000 tokens > 200000 maximum',
};
