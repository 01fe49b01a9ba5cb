import { hasTool, mayRun } from '../../domain/agent/tools.ts';

/*
 * Codex reads, lists and searches by shell commands only. So an agent that may read may also run commands that only read.
 */

const READERS = 'basename cat cmp comm cut diff dirname du egrep fgrep find grep head ls nl readlink realpath stat tail tr wc';
const READING = ['Bash(pwd)', ...READERS.split(' ').map((program) => `Bash(${program} *)`)];

/** The script in a shell command as codex shows it; undefined if it is no plain shell command. */
export function scriptIn(command: string): string | undefined {
  const [shell = '', flag = '', script, ...rest] = shellWords(command) ?? [];
  return /(?:^|\/)(?:ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(flag) && rest.length === 0 ? script : undefined;
}

/** Whether the agent may run a command: every part of its script must be allowed. */
export function mayRunCommand(tools: readonly string[], command: string): boolean {
  const parts = partsOf(scriptIn(command) ?? '');
  return parts?.every((part) => mayRun(tools, part) || (mayRead(tools) && onlyReads(part))) ?? false;
}

const mayRead = (tools: readonly string[]): boolean => ['Read', 'Grep', 'Glob'].some((name) => hasTool(tools, name));

/** Whether a command only reads. Patterns are refused where they could expand to an option that writes, from a file's name. */
function onlyReads(part: string): boolean {
  const words = shellWords(part) ?? [];
  const isSafe = !words.some((word) => /^[*?[]/.test(word));
  if (mayRun(READING, part)) return isSafe || words[0] !== 'find';
  if (mayRun(['Bash(rg *)'], part))
    return isSafe && !words.some((word) => /^-(?:-pre|-hostname-bin|-search-zip|[^-]*z)/.test(word));
  return mayRun(['Bash(sed -n *)'], part) && isSafe && isLinesOf(words.slice(2));
}

const isLinesOf = ([lines = '', ...files]: readonly string[]): boolean =>
  /^\d+(?:,(?:\d+|\$))?p$/.test(lines) && files.every((file) => !file.startsWith('-'));

const WORD = /\s*((?:'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|[^\s'"\\])+)/y;
const PIECE = /'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|[^'"\\]+/g;

/** The words of a shell-quoted line; undefined if a quote stays open. */
function shellWords(line: string): string[] | undefined {
  const words: string[] = [];
  const text = line.trimEnd();
  WORD.lastIndex = 0;
  while (WORD.lastIndex < text.length) {
    const found = WORD.exec(text)?.[1];
    if (found === undefined) return undefined;
    words.push(found.replaceAll(PIECE, unquoted));
  }
  return words;
}

function unquoted(piece: string): string {
  if (piece.startsWith("'")) return piece.slice(1, -1);
  if (piece.startsWith('"')) return piece.slice(1, -1).replaceAll(/\\([$`"\\])/g, '$1');
  return piece.startsWith('\\') ? piece.slice(1) : piece;
}

const PART = /((?:'[^']*'|"(?:[^"\\]|\\[^])*"|[^'"|;&])*)(\|\||&&|[|;]|$)/y;

/** The commands that a script joins by pipes, `&&`, `||` and `;`; undefined if the script has anything else. */
function partsOf(script: string): string[] | undefined {
  const parts: string[] = [];
  PART.lastIndex = 0;
  do {
    const found = PART.exec(script);
    if (!found) return undefined;
    parts.push(found[1] ?? '');
  } while (PART.lastIndex < script.length);
  return parts;
}
