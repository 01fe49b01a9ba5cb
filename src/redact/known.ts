import type { SecretSpan } from './spans.ts';

const shortestSecret = 8;
const shortestLine = 16;

/** The given values as they are and as they look in JSON, in addresses and in base64; longest first. */
export const formsOfAll = (secrets: readonly string[]): readonly string[] =>
  [...new Set(secrets.filter(({ length }) => length >= shortestSecret).flatMap(formsOf))]
    .filter(({ length }) => length >= shortestSecret)
    .toSorted((a, b) => b.length - a.length);

/** Finds those forms. */
export function knownFinder(forms: readonly string[]): { find(text: string): SecretSpan[]; readonly longest: number } {
  const longest = forms[0]?.length ?? 0;
  if (longest === 0) return { find: () => [], longest };
  const any = new RegExp(forms.map(escaped).join('|'), 'g');
  const find = (text: string): SecretSpan[] =>
    [...text.matchAll(any)].map(({ index, 0: { length } }) => ({ context: index, start: index, end: index + length }));
  return { find, longest };
}

function formsOf(secret: string): string[] {
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= shortestLine);
  return [secret, ...(lines.length > 1 ? lines : [])].flatMap((value) => {
    const inJson = asJson(value);
    return [value, inJson, asJson(inJson), inAddress(value), ...inBase64(value)];
  });
}

const asJson = (value: string): string => JSON.stringify(value).slice(1, -1);

function inAddress(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value; // half a surrogate pair has no address form
  }
}

/** The letters that stay the same wherever in a longer text the value stands: one form for each place modulo three. */
function inBase64(value: string): string[] {
  const bytes = Buffer.from(value);
  return [0, 1, 2].flatMap((before) => {
    const letters = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/={1,2}$/, '');
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor(((before + bytes.length) * 8) / 6);
    const stable = letters.slice(first, last);
    return [stable, stable.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

const escaped = (literal: string): string => literal.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
