/**
 * The paths, in git's notation, that match a pattern. `*` matches within a name, `**` across directories. A pattern without a
 * slash, or with only a trailing one, matches at any depth; any other begins at the root. A match includes everything below it.
 * Case is ignored, because some file systems ignore it.
 */
export function pathsMatching(paths: readonly string[], patterns: readonly string[]): string[] {
  const expressions = patterns.map((pattern) => expressionOf(pattern, asFileSystemsCompare));
  return paths.filter((path) => {
    const plain = asFileSystemsCompare(path);
    return expressions.some((expression) => expression.test(plain));
  });
}

/** The regular expression of one pattern. `compared` normalises names before they are compared; by default not at all. */
export function expressionOf(pattern: string, compared = (path: string): string => path): RegExp {
  const name = pattern.replace(/(?<!\/)\/+(?:\*\*)?$/, '');
  const isAnchored = name.includes('/');
  const escaped = compared(name.replace(/^\/+/, '')).replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  const body = escaped
    .replaceAll('**/', '\0')
    .replaceAll('**', '\u0001')
    .replaceAll('*', '[^/]*')
    .replaceAll('\0', '(?:.*/)?')
    .replaceAll('\u0001', '.*');
  return new RegExp(`${isAnchored ? '^' : '(?:^|/)'}${body}(?:/|$)`, 's');
}

/** Characters that HFS+ leaves out when it compares names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Normalises a path, so that names of one file become equal even if the file system folds case, composes letters, or drops trailing dots and blanks. */
const asFileSystemsCompare = (path: string): string =>
  path
    .normalize('NFC')
    .replace(IGNORED, '')
    // Upper case first: several small letters can share one capital.
    .toUpperCase()
    .toLowerCase()
    .split('/')
    .map((name) => name.replace(/(?<=[^. ])[. ]+$/, ''))
    .join('/');
