import { CODED, codedKeysIn } from './block.ts';
import type { SecretSpan } from './spans.ts';
import { valueAt } from './value.ts';

/**
 * How a secret looks that nobody told us of. Every pattern starts with fixed letters and cannot go back over what it has
 * passed, so that no text costs more than its length. Whatever it finds has one of its `anchors` in the same line.
 */
interface Pattern {
  readonly anchors: readonly string[];
  readonly find: (text: string) => SecretSpan[];
}

/**
 * The letters, where a word may begin: after no letter or digit, or after an escape of JSON or of an address, such as `\n` or
 * `%3D`. Looking back after the letters rather than before them is thirty times as fast.
 */
const word = (letters: string): string =>
  String.raw`${letters}(?<=(?:(?<![A-Za-z0-9_-])|(?<=\\[nrtbf])|(?<=\\u[0-9a-fA-F]{4})|(?<=%[0-9a-fA-F]{2}))${letters})`;

/** The name of a header that holds a secret and what separates it from its value, in a header or in JSON. */
const header =
  String.raw`(?:[Aa]uthorization|AUTHORIZATION|[Aa]pi-[Kk]ey|API-KEY|[Aa]uth-[Tt]oken|[Pp]rivate-[Tt]oken)` +
  String.raw`\\{0,31}["']?[ \t]{0,8}[:=][ \t]{0,8}\\{0,31}["']?`;
const headerAnchors = ['uthorization', 'AUTHORIZ', '-Key', '-key', '-KEY', '-Token', '-token'];

/** What follows the quoted name of a field, up to its quoted value, at any depth of JSON in JSON. */
const field = String.raw`\\{0,31}["'][ \t]{0,8}[:=][ \t]{0,8}(?=\\{0,31}["'])`;

const every = (...parts: readonly (readonly string[])[]): string[] =>
  parts.reduce<string[]>((made, part) => made.flatMap((before) => part.map((next) => before + next)), ['']);
/** What can come next where the name of a field ends. */
const quotes = ['"', "'", '\\'];

export const PATTERNS: readonly Pattern[] = [
  token(['sk-'], `${word('sk-')}(?:(?:ant|proj|svcacct|admin|or)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{40,})`),
  token(['AIza', 'ya29.', 'GOCSPX-'], String.raw`AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}`),
  token(['AKIA', 'ASIA'], `${word('A[KS]IA')}[A-Z0-9]{16}(?![A-Za-z0-9])`),
  token(['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', '_pat_'], 'gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}'),
  token(['glpat-', 'gldt-', 'glrt-', 'glptt-'], 'gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{20,}'),
  token([...every(['xox'], [...'abeoprs'], ['-']), 'xapp-'], `${word('x(?:ox[abeoprs]|app)-')}[A-Za-z0-9-]{10,}`),
  token(['k_live_', 'k_test_', 'whsec_'], `${word('[rs]k_(?:live|test)_')}[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9]{24,}`),
  token(['npm_', 'hf_'], `${word('npm_')}[A-Za-z0-9]{36}|${word('hf_')}[A-Za-z0-9]{30,}`),
  token(['.eyJ'], String.raw`${word('eyJ')}[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{0,4000}`),
  token(
    ['KEY--', 'KEY BLOCK--'],
    String.raw`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s\\:,-]*?` +
      String.raw`(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?=\\{0,8}[^A-Za-z0-9+/=\s\\:,-])|$)`,
  ),
  { anchors: [CODED], find: (text) => codedKeysIn(text).map(({ start, end }) => ({ context: start, start, end })) },
  after(['://'], String.raw`(:\/\/[^\s\/:@"'\\]{0,100}:)[^\s\/:@"'\\]{3,300}(?=@)`),
  after(['Bearer ', 'bearer '], String.raw`([Bb]earer {1,4})(?=[A-Za-z_.~+/=-]{0,300}[0-9])[A-Za-z0-9_.~+/=-]{16,}`),
  after(headerAnchors, String.raw`(${header}(?:[Bb]earer|[Bb]asic|[Tt]oken)[ \t]{1,4})[A-Za-z0-9_.~+/=-]{6,}`),
  after(headerAnchors, String.raw`(${header})(?=[A-Za-z_.~+/=-]{0,300}[0-9])[A-Za-z0-9_.~+/=-]{8,}`),
  // PASSWORD=…, export OPENAI_API_KEY="…"
  valued(
    ['KEY=', 'TOKEN=', 'SECRET=', 'PASSWORD=', 'PASSWD='],
    '(?:(?:API|ACCESS|SECRET|PRIVATE|AUTH)_?KEY|TOKEN|SECRET|PASSWORD|PASSWD)=',
    6,
  ),
  // --api-key …, --token=…
  valued(
    every(['--'], ['api-key', 'token', 'access-token', 'auth-token', 'password', 'secret']),
    '--(?:api-key|token|access-token|auth-token|password|secret)[= ]',
    6,
  ),
  // "password": "…", {\"client_secret\":\"…\"}
  valued(
    [
      ...every(
        ['pi', 'PI', 'ccess', 'CCESS', 'ecret', 'ECRET', 'rivate', 'RIVATE'],
        ['', '_', '-'],
        ['key', 'Key', 'KEY'],
        quotes,
      ),
      ...every(['assword', 'ASSWORD', 'asswd', 'assphrase', 'ecret', 'ECRET'], quotes),
    ],
    String.raw`(?:(?:[Aa]pi|API|[Aa]ccess|ACCESS|[Ss]ecret|SECRET|[Pp]rivate|PRIVATE)[_-]?(?:[Kk]ey|KEY)` +
      String.raw`|[Pp]assword|PASSWORD|[Pp]asswd|[Pp]assphrase|[Ss]ecret|SECRET)${field}`,
    1,
  ),
  valued(every(['oken', 'OKEN'], quotes), `(?:[Tt]oken|TOKEN)${field}`, 8),
];

/** The whole match is the secret. */
function token(anchors: readonly string[], source: string): Pattern {
  const pattern = new RegExp(source, 'g');
  const find = (text: string): SecretSpan[] =>
    [...text.matchAll(pattern)].map(({ index, 0: { length } }) => ({ context: index, start: index, end: index + length }));
  return { anchors, find };
}

/** The secret is what follows the first group. */
function after(anchors: readonly string[], source: string): Pattern {
  const pattern = new RegExp(source, 'g');
  const find = (text: string): SecretSpan[] =>
    [...text.matchAll(pattern)].map(({ index, 0: whole, 1: before = '' }) => ({
      context: index,
      start: index + before.length,
      end: index + whole.length,
    }));
  return { anchors, find };
}

/** The secret is the value that follows, unless it is short, names a variable, or is the next flag. */
function valued(anchors: readonly string[], source: string, shortest: number): Pattern {
  const pattern = new RegExp(source, 'g');
  const find = (text: string): SecretSpan[] => {
    const spans: SecretSpan[] = [];
    pattern.lastIndex = 0;
    for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
      const value = valueAt(text, pattern.lastIndex);
      if (!value) continue;
      pattern.lastIndex = Math.max(pattern.lastIndex, value.end);
      const first = text.charAt(value.start);
      const isAnother = first === '$' || (first === '-' && !value.isQuoted);
      if (value.end - value.start >= shortest && !isAnother)
        spans.push({ context: found.index, start: value.start, end: value.end });
    }
    return spans;
  };
  return { anchors, find };
}
