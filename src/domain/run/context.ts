import type { Watch } from './run.ts';

type Context = NonNullable<Watch['context']>;

/** The used share of the window, from 0 to 1; undefined if its size is unknown. */
export const windowShare = (context: Context | undefined): number | undefined =>
  context?.limit ? context.tokens / context.limit : undefined;

/** Bytes of text per token, roughly. */
const BYTES_PER_TOKEN = 4;

/** An estimate from the output of an agent that does not report its window: it has read and written at least that much. */
export const estimatedContext = (bytes: number, limit: number): Context => ({
  tokens: Math.ceil(bytes / BYTES_PER_TOKEN),
  limit,
  estimate: true,
});

/**
 * Why a run should end in favour of a fresh one, or undefined. While a tool is open, the run goes on until half of the
 * remaining window is used: a program that fills its window loses more than one tool call.
 */
export function windowTooFull({ context, openTools }: Pick<Watch, 'context' | 'openTools'>, percent: number): string | undefined {
  const share = windowShare(context);
  const limit = percent / 100;
  if (!context || share === undefined || share < limit) return undefined;
  if (openTools.length > 0 && share < (1 + limit) / 2) return undefined;
  const how = context.estimate ? ', by our estimate' : '';
  return `its window is ${Math.floor(share * 100)} % full${how} (${context.tokens} of ${context.limit} tokens), context_percent is ${percent}`;
}
