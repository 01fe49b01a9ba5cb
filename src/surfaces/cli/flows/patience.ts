import { isFault } from '../../../domain/fault.ts';
import type { Order } from '../order.ts';

/** A store that is busy or restarts comes back; one that stays away this long is told. */
const patienceMs = 60_000;
const betweenMs = 500;

/** Asks again while the store cannot be reached: a long wait must not end because of a short absence. */
export async function patiently<Value>({ io }: Order, question: () => Promise<Value>): Promise<Value> {
  const began = io.elapsed();
  for (;;) {
    try {
      return await question();
    } catch (error) {
      if (!isFault(error, 'unavailable') || io.elapsed() - began > patienceMs) throw error;
      await io.pause(betweenMs);
    }
  }
}
