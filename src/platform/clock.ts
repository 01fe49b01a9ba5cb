/** Wall time for people, monotonic time for waiting. Nothing else in the house reads a clock. */
export interface Clock {
  /** Milliseconds since 1970, as the wall says. It may jump. */
  now(): number;
  /** Milliseconds since some moment. It never jumps. */
  elapsed(): number;
}

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };
