/** The ways in which a provider refuses a request. Each protocol has a status and a body for each. */
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
export type ProviderRefusal = (typeof REFUSALS)[number];

/** The ways in which sending an answer fails. */
export const ACCIDENTS = ['hang', 'stall', 'truncate', 'drop', 'malformed', 'stream_error'] as const;
export type Accident = (typeof ACCIDENTS)[number];

export type FaultKind = ProviderRefusal | Accident;

export interface RefusalFacts {
  readonly kind: ProviderRefusal;
  readonly message: string;
  /** Seconds until a retry may succeed. */
  readonly seconds: number;
  /** The same time, in milliseconds since 1970. */
  readonly until: number;
}

/** The used share of a subscription's quota. */
export interface ProviderQuota {
  readonly percent: number;
  /** When the quota resets, in milliseconds since 1970. */
  readonly until: number;
}

export const MESSAGES: Readonly<Record<ProviderRefusal, string>> = {
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
