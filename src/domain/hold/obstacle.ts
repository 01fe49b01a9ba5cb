import type { Lane } from '../task/lane.ts';
import type { Instant } from '../values.ts';
import type { DiskShortage } from './disk-room.ts';
import type { Scope } from './hold.ts';
import { isInForce, type Pause } from './pause.ts';

/** What keeps work that is ready from being started. */
export type Obstacle =
  | { readonly kind: 'executor'; readonly executor: string }
  | { readonly kind: 'placement' }
  | { readonly kind: 'disk'; readonly short: DiskShortage }
  | { readonly kind: 'paused'; readonly pause: Pause }
  | { readonly kind: 'full'; readonly scope: string; readonly max: number };

export interface Circumstances {
  startable(work: Pick<Lane, 'executor' | 'placement'>): boolean;
  readonly scopes: readonly Scope[];
  /** How many runs are in a scope now. */
  taken(scope: string): number;
  /** The newest pause of its account, over or not. */
  readonly pause?: Pause | undefined;
  /** A disk has too little room for anything new. */
  readonly short?: DiskShortage | undefined;
  readonly now: Instant;
}

/** What can never be started here comes before what waits for room. Undefined: it will be started in a moment. */
export function obstacleTo(
  work: Pick<Lane, 'executor' | 'placement'>,
  { startable, scopes, taken, pause, short, now }: Circumstances,
): Obstacle | undefined {
  if (!startable(work)) {
    const isKnown = startable({ ...work, placement: 'in_place' });
    return isKnown ? { kind: 'placement' } : { kind: 'executor', executor: work.executor };
  }
  if (short) return { kind: 'disk', short };
  if (isInForce(pause, now)) return { kind: 'paused', pause };
  const full = scopes.find(({ scope, max }) => taken(scope) >= max);
  return full && { kind: 'full', ...full };
}
