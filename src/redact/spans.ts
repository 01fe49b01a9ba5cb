/** A secret in a text. It is told to be one only together with what stands before it, from `context` on. */
export interface SecretSpan {
  readonly context: number;
  readonly start: number;
  readonly end: number;
}

/** In order, without overlaps, and never a piece of an escape: replacing them leaves JSON that was good good. */
export function settled(text: string, spans: readonly SecretSpan[]): readonly SecretSpan[] {
  const result: SecretSpan[] = [];
  for (const span of spans.map((found) => aligned(text, found)).toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (!last || span.start >= last.end) result.push(span);
    else if (span.end > last.end) result[result.length - 1] = { ...last, end: span.end };
  }
  return result.filter(({ start, end }) => end > start);
}

export function replaced(text: string, spans: readonly SecretSpan[], by: string): string {
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of spans) {
    parts.push(text.slice(at, start), by);
    at = end;
  }
  return parts.join('') + text.slice(at);
}

function aligned(text: string, { context, start, end }: SecretSpan): SecretSpan {
  const unicode = /\\u[0-9a-f]{0,3}$/i.exec(text.slice(Math.max(0, start - 5), start));
  const early = unicode ? start - unicode[0].length : start - (backslashesBefore(text, start) % 2);
  const late = text.charAt(end - 1) === '\\' && backslashesBefore(text, end) % 2 === 1 ? end - 1 : end;
  return { context: Math.min(context, early), start: early, end: late };
}

const longestRun = 64;

/** Counted up to a bound, so that a text of nothing else costs no more. */
export function backslashesBefore(text: string, at: number): number {
  let count = 0;
  while (count < longestRun && text.charAt(at - 1 - count) === '\\') count += 1;
  return count;
}
