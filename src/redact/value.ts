import { backslashesBefore } from './spans.ts';

/** Where a value begins and ends that follows a name and `=` or `:`. */
export interface SecretValue {
  readonly start: number;
  readonly end: number;
  readonly isQuoted: boolean;
}

const opening = /(\\{0,31})(["'])/y;
const bare = /[^\s"'`\\,;&|<>(){}[\]]+/y;

/** Quoted at any depth of JSON in JSON, or bare. A quoted value without its end goes to the end of the line. */
export function valueAt(text: string, at: number): SecretValue | undefined {
  opening.lastIndex = at;
  const quote = opening.exec(text);
  if (!quote) return bareAt(text, at);
  const start = opening.lastIndex;
  return { start, end: closing(text, start, { quote: quote[2] ?? '"', depth: quote[1]?.length ?? 0 }), isQuoted: true };
}

function bareAt(text: string, at: number): SecretValue | undefined {
  bare.lastIndex = at;
  return bare.test(text) ? { start: at, end: bare.lastIndex, isQuoted: false } : undefined;
}

/**
 * A quote inside JSON inside JSON has 1, 3, 7 … backslashes before it. One with so many that the rest of them are escaped
 * backslashes closes the value; one with fewer closes a string around it.
 */
function closing(text: string, start: number, { quote, depth }: { readonly quote: string; readonly depth: number }): number {
  const stop = quote === '"' ? /["\n]/g : /['\n]/g;
  stop.lastIndex = start;
  for (let found = stop.exec(text); found; found = stop.exec(text)) {
    const at = found.index;
    if (found[0] === '\n') return at;
    const before = Math.min(backslashesBefore(text, at), at - start);
    if (before < depth) return at - before;
    if (before % (2 * (depth + 1)) === depth) return at - depth;
  }
  return text.length;
}
