import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { Name } from '../values.ts';

/** The account of a provider that is used unless another is named. */
export const DEFAULT_ACCOUNT = 'default';

/** Whose work a provider may refuse: one account, through one executor. */
export interface Lender {
  readonly executor: string;
  readonly account?: string | undefined;
}

/** How a task names who does it: `claude`, or `claude/work` for another account of the same program. */
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

export function lenderOf(ref: string): Required<Lender> & { readonly account: string } {
  const [executor = '', account = DEFAULT_ACCOUNT] = ref.split('/');
  return { executor, account };
}

export const refOf = ({ executor, account = DEFAULT_ACCOUNT }: Lender): string =>
  account === DEFAULT_ACCOUNT ? executor : `${executor}/${account}`;
