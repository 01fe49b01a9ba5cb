import { provedBy } from './proof.ts';

const bounds = (title: string) => provedBy('src/operations/bounds.test.ts', title);

/** Settings that say what may be started. */
export const BOUND_EFFECTS = {
  scripted: provedBy(
    'test/attacks/what-a-token-may-start.test.ts',
    'is not started, and no command of anybody switches it on for itself',
  ),
  bounds_role: bounds('stays within them when it is edited, forked, sent on or tried again, by whomever'),
  bounds_team: bounds('is refused outside of its bounds, with whose they are and what is allowed [API-07]'),
};
