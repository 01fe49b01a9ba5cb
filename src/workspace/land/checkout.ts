import type { LendingRepository } from '../git/location.ts';

/** A working tree in which a branch is checked out, of the user or of ours. */
export interface Checkout {
  readonly path: string;
  readonly directory: LendingRepository;
  /** Git knows of it, but its files cannot be seen from here. */
  readonly away: boolean;
}
