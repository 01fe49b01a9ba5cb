import { z } from 'zod';
import { Instant } from './values.ts';

/** An id under which a host was known before. */
export const FormerHost = z.strictObject({
  host: z.string(),
  /** `named`: rows carried the name of the machine. `copied`: the home is a copy, and its original may live. */
  why: z.enum(['named', 'copied']),
});
export type FormerHost = z.infer<typeof FormerHost>;

/** A machine that runs agents. Its name is for people and may change; nothing is decided by it. */
export const Host = z.strictObject({ id: z.string(), name: z.string(), since: Instant });
export type Host = z.infer<typeof Host>;
