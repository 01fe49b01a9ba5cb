/* Apart from the schemas, so that whoever only shows moments loads no schema library. */

export const instantOf = (ms: number): string => new Date(ms).toISOString();
export const msOf = (instant: string): number => Date.parse(instant);
