import type { Lane } from '../task/lane.ts';
import type { Instant } from '../values.ts';
import type { DiskShortage } from './disk-room.ts';
import type { HoldScope } from './hold.ts';
import { isInForce, type Pause } from './pause.ts';

/** What keeps a ready task from being started. */
export type Obstacle =
  | { readonly kind: 'executor'; readonly executor: string }
  | { readonly kind: 'placement' }
  | { readonly kind: 'disk'; readonly short: DiskShortage }
  | { readonly kind: 'paused'; readonly pause: Pause }
  | { readonly kind: 'full'; readonly scope: string; readonly max: number };

export interface StartConditions {
  canStart(work: Pick<Lane, 'executor' | 'placement'>): boolean;
  readonly scopes: readonly HoldScope[];
  /** How many runs occupy a scope now. */
  countHolders(scope: string): number;
  /** The newest pause of the task's account, in force or not. */
  readonly pause?: Pause | undefined;
  /** Set if a disk has too little room for anything new. */
  readonly short?: DiskShortage | undefined;
  readonly now: Instant;
}

/** The first obstacle, those that waiting cannot remove before a lack of room; undefined if the task is about to start. */
export function obstacleTo(
  work: Pick<Lane, 'executor' | 'placement'>,
  { canStart, scopes, countHolders, pause, short, now }: StartConditions,
): Obstacle | undefined {
  if (!canStart(work)) {
    const isKnown = canStart({ ...work, placement: 'in_place' });
    return isKnown ? { kind: 'placement' } : { kind: 'executor', executor: work.executor };
  }
  if (short) return { kind: 'disk', short };
  if (isInForce(pause, now)) return { kind: 'paused', pause };
  const full = scopes.find(({ scope, max }) => countHolders(scope) >= max);
  return full && { kind: 'full', ...full };
}
