import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { Name } from '../values.ts';

/** How a task names its executor: `claude`, or `claude/work` for another account of the same program. */
export const ExecutorRef = z
  .string()
  .max(2 * LIMITS.nameCharacters.value + 1)
  .refine(isRef, {
    error: ({ input }) => `${JSON.stringify(input)} names no executor: expected NAME, or NAME/ACCOUNT for one of its accounts`,
  });

function isRef(text: string): boolean {
  const parts = text.split('/');
  return parts.length <= 2 && parts.every((part) => Name.safeParse(part).success);
}
