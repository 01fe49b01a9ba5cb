import type { Watch } from './run.ts';

type Context = NonNullable<Watch['context']>;

/** How full its window is, from 0 to 1; undefined where nobody knows how large it is. */
export const shareOf = (context: Context | undefined): number | undefined =>
  context?.limit ? context.tokens / context.limit : undefined;

/** About so many bytes of text make one token. */
const BYTES_PER_TOKEN = 4;

/** From everything that was printed: an agent that says nothing of its window has at least read and written that. */
export const estimated = (bytes: number, limit: number): Context => ({
  tokens: Math.ceil(bytes / BYTES_PER_TOKEN),
  limit,
  estimate: true,
});

/**
 * Why a run should make room for a fresh one. Between two tools if possible; when little is left, at once: a program that
 * runs into the end of its window loses more than the tool it waits for.
 */
export function tooFull({ context, openTools }: Pick<Watch, 'context' | 'openTools'>, percent: number): string | undefined {
  const share = shareOf(context);
  const most = percent / 100;
  if (!context || share === undefined || share < most) return undefined;
  if (openTools.length > 0 && share < (1 + most) / 2) return undefined;
  const how = context.estimate ? ', by our estimate' : '';
  return `its window is ${Math.floor(share * 100)} % full${how} (${context.tokens} of ${context.limit} tokens), context_percent is ${percent}`;
}
