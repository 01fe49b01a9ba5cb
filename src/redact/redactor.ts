import { blocksIn } from './block.ts';
import { type Digest, digestFinder } from './digest.ts';
import { formsOfAll, knownFinder } from './known.ts';
import { PATTERNS } from './patterns.ts';
import { sieveOf } from './sieve.ts';
import { replaced, type SecretSpan, settled } from './spans.ts';

export const REDACTED = '[redacted]';

const shortestSecret = 8;
const endings =
  /(?:^|_)(?:KEY|KEYS|APIKEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|PAT|CREDENTIAL|CREDENTIALS|AUTH|COOKIE|DSN)$/i;
const middles = /(?:^|_)(?:API_KEY|ACCESS_KEY|SECRET_KEY|PRIVATE_KEY|AUTH_TOKEN)_/i;

/** Takes text in pieces, cut anywhere, and gives it back without secrets; what may be the start of one is held for a while. */
export interface RedactingStream {
  push(piece: string): string;
  end(): string;
}

/** No secret but a private key is longer; of a longer one its head and its tail are kept while its end is awaited. */
const windowCharacters = 8 * 1024;
const headCharacters = 256;

/** What else is known of a text. */
export interface RedactorContext {
  /** What is to go whatever it looks like. */
  readonly hidden?: readonly Pick<SecretSpan, 'start' | 'end'>[];
  /** Only so much of it is wanted. The rest is there to tell what goes on in it. */
  readonly length?: number;
}

/** Removes secrets from a text. */
export interface Redactor {
  (text: string, around?: RedactorContext): string;
  /** Whoever cuts a text hands over so many bytes more, or a secret that lies across the cut is not seen to be one. */
  readonly reach: number;
  /**
   * A place from `from` on, in the first line that may hold a secret; `to` when no line does. Every other line comes back
   * from the redactor as it is, so that nobody need ask: that is what makes reading a gigabyte of output bearable.
   */
  suspect(bytes: Uint8Array, from: number, to: number): number;
  /** Removes the values that are known, and nothing that merely looks like a secret. */
  known(text: string): string;
  /** Whether any value is known. */
  readonly knowsAny: boolean;
}

/** What to look for besides values that are known: values of which only digests are. */
export interface Unseen {
  readonly digests: readonly Digest[];
  readonly key: Uint8Array;
}

/** Removes the given secrets, in whatever form, and whatever looks like a secret. A line of good JSON stays one. */
export function redactor(secrets: readonly string[], unseen?: Unseen): Redactor {
  const hidden = unseen && unseen.digests.length > 0 ? digestFinder(unseen.digests, unseen.key) : undefined;
  const { find, longest } = finder(secrets, hidden ? [hidden] : []);
  const needles = formsOfAll(secrets).map(certainPart);
  const sieve = sieveOf([...PATTERNS.flatMap(({ anchors }) => anchors), ...needles.filter((needle) => needle.length > 0)]);
  const suspect: Redactor['suspect'] = needles.includes('') ? (_bytes, from) => from : both(sieve.next, hidden?.next);
  const coded = Math.max(0, ...(unseen?.digests ?? []).map(({ bytes }) => bytes));
  const reach = Math.max(windowCharacters, longest * bytesPerCharacter, coded);
  const redact = (text: string, { hidden: more = [], length = text.length }: RedactorContext = {}): string => {
    const spans = find(text, more).filter(({ start }) => start < length);
    return replaced(text.slice(0, Math.max(length, spans.at(-1)?.end ?? 0)), spans, REDACTED);
  };
  const values = [knownFinder(formsOfAll(secrets)), ...(hidden ? [hidden] : [])];
  const known = (text: string): string =>
    replaced(
      text,
      settled(
        text,
        values.flatMap((one) => one.find(text)),
      ),
      REDACTED,
    );
  return Object.assign(redact, { suspect, reach, known, knowsAny: needles.length > 0 || hidden !== undefined });
}

const bytesPerCharacter = 3;

/** Portion by portion, so that a text full of what one of them finds is not looked through to its end by the other each time. */
function both(first: Redactor['suspect'], second: Redactor['suspect'] | undefined): Redactor['suspect'] {
  if (!second) return first;
  return (bytes, from, to) => {
    for (let start = from; start < to; ) {
      const newline = bytes.indexOf(lineEnd, Math.min(to, start + portionBytes));
      const end = newline === -1 ? to : Math.min(to, newline + 1);
      const found = Math.min(first(bytes, start, end), second(bytes, start, end));
      if (found < end) return found;
      start = end;
    }
    return to;
  };
}

const portionBytes = 16 * 1024;
const lineEnd = 10;

/**
 * The longest part of a value that looks the same in bytes as in text. A replacement character stands for bytes nobody
 * knows; a value of little else can be looked for in text only.
 */
function certainPart(value: string): string {
  const [longest = ''] = value.split('\uFFFD').toSorted((a, b) => b.length - a.length);
  return longest.length < shortestPart ? '' : longest;
}

const shortestPart = 4;

/** The same for text that comes in pieces. It holds at most one line, and of a very long line only its last part. */
export function redactingStream(secrets: readonly string[]): RedactingStream {
  const { find, longest } = finder(secrets);
  const window = Math.max(windowCharacters, 2 * longest);
  const beginnings = beginningsOf(secrets);
  let held = '';
  return {
    push(piece) {
      held += piece;
      if (!piece.includes('\n') && held.length < 2 * window) return '';
      const spans = find(held);
      const cut = safeCut(held, spans, wantedCut(held, beginnings, window));
      const out = replaced(
        held.slice(0, cut),
        spans.filter(({ end }) => end <= cut),
        REDACTED,
      );
      held = compacted(held.slice(cut), cut, spans, window);
      return out;
    },
    end() {
      const out = replaced(held, find(held), REDACTED);
      held = '';
      return out;
    },
  };
}

interface Finder {
  find(text: string): SecretSpan[];
}

function finder(
  secrets: readonly string[],
  more: readonly Finder[] = [],
): { find(text: string, also?: RedactorContext['hidden']): readonly SecretSpan[]; readonly longest: number } {
  const known = knownFinder(formsOfAll(secrets));
  const find = (text: string, also: RedactorContext['hidden'] = []): readonly SecretSpan[] =>
    settled(text, [
      ...[...also, ...blocksIn(text)].map(({ start, end }) => ({ context: start, start, end })),
      ...[known, ...more, ...PATTERNS].flatMap((one) => one.find(text)),
    ]);
  return { find, longest: known.longest };
}

/** The first lines of secrets that have several: a text that ends with them may be the start of one. */
const beginningsOf = (secrets: readonly string[]): readonly string[] =>
  secrets
    .flatMap((secret) => [...secret.matchAll(/\n/g)].map(({ index }) => secret.slice(0, index + 1)))
    .toSorted((a, b) => b.length - a.length);

/** After the last whole line, or before the last window of a long one. */
function wantedCut(text: string, beginnings: readonly string[], window: number): number {
  const line = text.lastIndexOf('\n') + 1;
  const begun = beginnings.find((lines) => text.endsWith(lines, line))?.length ?? 0;
  const cut = Math.max(line - begun, text.length - window);
  return isHighSurrogate(text.charCodeAt(cut - 1)) ? cut - 1 : cut;
}

/** Never inside a secret, nor after the start of one that may go on. */
function safeCut(text: string, spans: readonly SecretSpan[], wanted: number): number {
  const open = spans.find(({ context, end }) => context < wanted && (end > wanted || end === text.length));
  return open ? open.context : wanted;
}

/** A secret longer than the window loses its middle, which nobody will see anyway. */
function compacted(text: string, cut: number, spans: readonly SecretSpan[], window: number): string {
  const open = spans.find(({ context }) => context === cut);
  if (!open || text.length < 4 * window) return text;
  const head = open.start - cut + headCharacters;
  return text.slice(0, head) + text.slice(-window);
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Whether a variable of that name holds a secret. Plurals of counts, such as `MAX_TOKENS`, do not. */
export const isSecretName = (name: string): boolean => endings.test(name) || middles.test(name);

/** The values of an environment that must not be shown: of names that say so, and long enough to be told from ordinary words. */
export const secretsIn = (env: Readonly<Record<string, string | undefined>>): readonly string[] => [
  ...new Set(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && value.length >= shortestSecret && isSecretName(name) ? [value] : [],
    ),
  ),
];
