import { randomBytes } from 'node:crypto';
import { monotonicFactory } from 'ulid';

/** 26 characters that sort by the moment they were made, also within one millisecond. */
export function makeUlids(now: () => number, random: () => number = strongRandom): (at?: number) => string {
  const next = monotonicFactory(random);
  return (at) => next(at ?? now()).toLowerCase();
}

const strongRandom = () => randomBytes(4).readUInt32BE() / 2 ** 32;
