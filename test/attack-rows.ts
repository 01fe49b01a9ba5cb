/** A test, by its file and the beginning of its title (or all of it, without the ids). */
export interface Proof {
  readonly file: string;
  readonly title: string;
}

/** An attack that once worked, as a class. */
export interface Attack {
  readonly id: `F${number}`;
  readonly wants: string;
  readonly stands: string;
  readonly tests: readonly Proof[];
}

export const attack = (file: string, title: string): Proof => ({ file: `test/attacks/${file}.test.ts`, title });
