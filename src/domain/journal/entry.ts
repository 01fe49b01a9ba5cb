import { z } from 'zod';
import { Instant } from '../values.ts';

/** One entry in the history of one thing: who did what, when and why. Numbers are dense: none is ever missing. */
export const JournalEntry = z.strictObject({
  n: z.int().min(1),
  at: Instant,
  by: z.string(),
  what: z.string(),
  from: z.string().optional(),
  to: z.string().optional(),
  why: z.string().optional(),
  data: z.record(z.string(), z.unknown()).optional(),
});
export type JournalEntry = z.infer<typeof JournalEntry>;

/** The fields of an entry that the change itself provides; number, time and author are added when the entry is written. */
export type JournalNote = Pick<JournalEntry, 'what' | 'from' | 'to' | 'why' | 'data'>;
