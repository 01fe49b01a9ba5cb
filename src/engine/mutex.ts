/** Lets those who change the same rows do so one after the other. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  readonly run = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = this.#last.then(work);
    // Whoever fails is no reason for the next to.
    this.#last = mine.catch(() => undefined);
    return mine;
  };
}
