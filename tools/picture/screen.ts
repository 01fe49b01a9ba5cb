/** How a cell looks: words for a style sheet, in one order. */
export type Style = string;

export interface Cell {
  readonly text: string;
  readonly style: Style;
}

const WORDS: Readonly<Record<number, string>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  31: 'red',
  32: 'green',
  33: 'yellow',
  34: 'blue',
  35: 'magenta',
  36: 'cyan',
};
const ENDS: Readonly<Record<number, readonly string[]>> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  39: ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'],
};

const SEQUENCE = /\u001b\[(\d*(?:;\d+)*)([A-Za-z])/y;

/** A terminal for programs that know only what ours does: text, ends of lines, colours, going up, wiping. */
export class Screen {
  readonly #rows: Cell[][] = [];
  #row = 0;
  #column = 0;
  #style = new Set<string>();

  write(text: string): void {
    for (let at = 0; at < text.length; ) {
      SEQUENCE.lastIndex = at;
      const found = SEQUENCE.exec(text);
      if (found) {
        this.#obey(found[2] ?? '', found[1] ?? '');
        at = SEQUENCE.lastIndex;
        continue;
      }
      const [character = ''] = text.slice(at, at + 2);
      this.#put(character);
      at += character.length;
    }
  }

  /** What can be seen, row by row. */
  rows(): readonly (readonly Cell[])[] {
    return this.#rows.map((row) => [...row]);
  }

  #put(character: string): void {
    if (character === '\n') {
      this.#row += 1;
      this.#column = 0;
    } else if (character === '\r') {
      this.#column = 0;
    } else {
      this.#line()[this.#column] = { text: character, style: [...this.#style].toSorted().join(' ') };
      this.#column += 1;
    }
  }

  #line(): Cell[] {
    while (this.#rows.length <= this.#row) this.#rows.push([]);
    return this.#rows[this.#row] ?? [];
  }

  #obey(command: string, numbers: string): void {
    const first = Number(numbers.split(';')[0] || 0);
    if (command === 'A') this.#row = Math.max(0, this.#row - (first || 1));
    else if (command === 'K') this.#line().length = Math.min(this.#line().length, this.#column);
    else if (command === 'J') this.#rows.length = Math.min(this.#rows.length, this.#row);
    else if (command === 'm') for (const number of numbers.split(';')) this.#paint(Number(number || 0));
    else throw new Error(`this terminal does not know ${JSON.stringify(`${numbers}${command}`)}`);
  }

  #paint(number: number): void {
    const word = WORDS[number];
    if (number === 0) this.#style.clear();
    else if (word) this.#style.add(word);
    else for (const ended of ENDS[number] ?? []) this.#style.delete(ended);
  }
}
