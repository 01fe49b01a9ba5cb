/* A file without schemas, so that code that only shows times does not load the schema library. */

export const instantOf = (ms: number): string => new Date(ms).toISOString();
export const msOf = (instant: string): number => Date.parse(instant);
