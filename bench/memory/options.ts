export interface Options {
  /** Parts of the names of the benchmarks that are wanted; none: all. */
  readonly words: readonly string[];
  /** Whether the figures become the baseline: those of a run that meets its goals, or all of them. */
  readonly accept: 'no' | 'met' | 'all';
}

export const USAGE = `npm run bench -- [WORD…] [--accept | --accept=all]
  WORD          only the benchmarks whose file name contains it
  --accept      the figures measured now become the baseline, unless a goal is missed
  --accept=all  also when a goal is missed`;

/** Throws what to tell the person. */
export function optionsIn(args: readonly string[]): Options {
  const words = args.filter((word) => !word.startsWith('-'));
  let accept: Options['accept'] = 'no';
  for (const flag of args.filter((word) => word.startsWith('-'))) {
    if (flag === '--accept') accept = 'met';
    else if (flag === '--accept=all') accept = 'all';
    else throw new Error(`unknown option ${flag}\n${USAGE}`);
  }
  return { words, accept };
}
