import { z } from 'zod';
import { Instant } from '../values.ts';

/** One line of the history of one thing: who did what, when, and why. Entry n follows entry n − 1; none is ever missing. */
export const Entry = z.strictObject({
  n: z.int().min(1),
  at: Instant,
  by: z.string(),
  what: z.string(),
  from: z.string().optional(),
  to: z.string().optional(),
  why: z.string().optional(),
  data: z.record(z.string(), z.unknown()).optional(),
});
export type Entry = z.infer<typeof Entry>;

/** What the author of a change says about it; number, moment and author are added where it is written down. */
export type Note = Pick<Entry, 'what' | 'from' | 'to' | 'why' | 'data'>;
