import { parse } from 'smol-toml';

/*
 * Where each `key = value` of a TOML text stands, so that one can be changed and everything else, comments included,
 * stays byte for byte. The text must be good TOML: this looks for the ends of values, it does not check them.
 */

/** One `key = value`, or one `[table]` heading. Offsets are into the text. */
export interface TomlStatement {
  readonly kind: 'value' | 'table';
  /** The whole path: that of its table, then its own. */
  readonly path: readonly string[];
  /** From the first character of its line. */
  readonly start: number;
  /** The value alone; for a heading, empty. */
  readonly valueStart: number;
  readonly valueEnd: number;
  /** After the line break that ends it. */
  readonly end: number;
  readonly line: number;
}

export function statementsOf(text: string): TomlStatement[] {
  const found: TomlStatement[] = [];
  let table: readonly string[] = [];
  let line = 1;
  for (let start = 0; start < text.length; ) {
    const statement = statementAt(text, start, line, table);
    if (statement?.kind === 'table') table = statement.path;
    if (statement) found.push(statement);
    const end = statement?.end ?? endOfLine(text, start);
    line += text.slice(start, end).split('\n').length - 1;
    start = end;
  }
  return found;
}

function statementAt(text: string, start: number, line: number, table: readonly string[]): TomlStatement | undefined {
  const indent = /[ \t\r]*/y;
  indent.lastIndex = start;
  const at = start + (indent.exec(text)?.[0].length ?? 0);
  const first = text[at];
  if (first === undefined || first === '\n' || first === '#') return undefined;
  const end = endOfLine(text, start);
  if (first === '[') {
    const path = pathOf(parse(text.slice(at, end)));
    return {
      kind: 'table',
      path: text[at + 1] === '[' ? [...path, '[]'] : path,
      start,
      valueStart: end,
      valueEnd: end,
      end,
      line,
    };
  }
  const equals = endOfKey(text, at);
  const space = /[ \t]*/y;
  space.lastIndex = equals + 1;
  const valueStart = equals + 1 + (space.exec(text)?.[0].length ?? 0);
  const valueEnd = endOfValue(text, valueStart);
  return {
    kind: 'value',
    path: [...table, ...pathOf(parse(`${text.slice(at, equals)} = 0`))],
    start,
    valueStart,
    valueEnd,
    end: endOfLine(text, valueEnd),
    line,
  };
}

/** The path to the only leaf. */
function pathOf(value: unknown): string[] {
  if (Array.isArray(value)) return pathOf(value[0]);
  const [entry] = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return entry ? [entry[0], ...pathOf(entry[1])] : [];
}

const endOfLine = (text: string, from: number): number => {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at + 1;
};

function endOfKey(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '=') at = text[at] === '"' || text[at] === "'" ? endOfString(text, at) : at + 1;
  return at;
}

/** Without the spaces and the comment that may follow it. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  let end = from;
  for (let at = from; at < text.length; ) {
    const char = text[at] ?? '';
    if (depth === 0 && (char === '\n' || char === '#')) break;
    if (char === '#') {
      at = endOfLine(text, at);
      continue;
    }
    if (char === '[' || char === '{') depth += 1;
    if (char === ']' || char === '}') depth -= 1;
    at = char === '"' || char === "'" ? endOfString(text, at) : at + 1;
    if (!/\s/.test(char)) end = at;
  }
  return end;
}

function endOfString(text: string, from: number): number {
  const quote = text[from] ?? '"';
  const fence = text.startsWith(quote.repeat(3), from) ? quote.repeat(3) : quote;
  for (let at = from + fence.length; at < text.length; at++) {
    if (quote === '"' && text[at] === '\\') at += 1;
    else if (text.startsWith(fence, at)) {
      let end = at + fence.length;
      // One or two quotes may stand right before the closing three.
      while (fence.length === 3 && text[end] === quote) end += 1;
      return end;
    }
  }
  return text.length;
}
