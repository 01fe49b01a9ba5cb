/** A queue of values to add now and iterate later, until `end` is called. */
export function lineQueue<T>(): AsyncIterable<T> & { add(value: T): void; end(): void } {
  const values: T[] = [];
  let isEnded = false;
  let wake = (): void => {};
  return {
    add: (value) => {
      values.push(value);
      wake();
    },
    end: () => {
      isEnded = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        for (let value = values.shift(); value !== undefined; value = values.shift()) yield value;
        if (isEnded) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
