/**
 * Which of these paths, as git writes them, are named by a pattern. `*` stands for anything within a name, `**` across
 * directories. A pattern without a slash, or with one at its end only, means that name at any depth; any other begins at the
 * root. What a pattern names is meant with everything below it, and large and small letters are the same, because to
 * some file systems they are.
 */
export function pathsMatching(paths: readonly string[], patterns: readonly string[]): string[] {
  const expressions = patterns.map((pattern) => expressionOf(pattern, asFileSystemsCompare));
  return paths.filter((path) => {
    const plain = asFileSystemsCompare(path);
    return expressions.some((expression) => expression.test(plain));
  });
}

/** The same for one pattern, with names compared as `compared` writes them: byte for byte, unless something else is said. */
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

/** Two names of one file on a file system that folds case, composes letters, or drops dots and blanks at the end of a name. */
const asFileSystemsCompare = (path: string): string =>
  path
    .normalize('NFC')
    .replace(IGNORED, '')
    // Upper first: some small letters share a large one.
    .toUpperCase()
    .toLowerCase()
    .split('/')
    .map((name) => name.replace(/(?<=[^. ])[. ]+$/, ''))
    .join('/');
