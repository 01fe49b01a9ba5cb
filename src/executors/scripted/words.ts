/** The words of a text, split as by a shell with quotes and backslashes but no expansions. Undefined if a quote stays open. */
export function wordsIn(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let rest = text.trimStart();
  while (rest !== '') {
    const first = firstWord(rest);
    if (first === undefined) return undefined;
    words.push(first.word);
    rest = first.rest;
  }
  return words;
}

/** The first word without its quotes, and what follows it. */
export function firstWord(text: string): { readonly word: string; readonly rest: string } | undefined {
  const part = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)/sy;
  const start = text.length - text.trimStart().length;
  let word = '';
  part.lastIndex = start;
  for (let end = start; ; end = part.lastIndex) {
    if (end === text.length || /\s/.test(text.charAt(end))) return { word, rest: text.slice(end).trimStart() };
    const found = part.exec(text);
    if (!found) return undefined;
    const [, single, double, escaped, plain] = found;
    word += single ?? double?.replaceAll(/\\(["\\])/g, '$1') ?? escaped ?? plain ?? '';
  }
}
