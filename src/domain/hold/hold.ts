import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import type { Lane } from '../task/lane.ts';
import { RunId } from '../values.ts';

/** A limited scope and the runs that occupy it. The row is the only count: occupants are never counted by a scan. */
export const Hold = z.strictObject({
  scope: z.string().min(1),
  holders: z.array(RunId).max(LIMITS.holders.value),
});
export type Hold = z.infer<typeof Hold>;

/** How many runs each scope may hold at once; a scope without a number is unlimited and has no row. */
export interface Capacity {
  readonly fleet?: number;
  readonly executor: Readonly<Record<string, number>>;
  readonly account: Readonly<Record<string, number>>;
  readonly project: Readonly<Record<string, number>>;
}

export interface HoldScope {
  readonly scope: string;
  readonly max: number;
}

/** The limited scopes that a run of this lane would occupy, with their limits. */
export function scopesOf(lane: Lane, capacity: Capacity): readonly HoldScope[] {
  const scopes: HoldScope[] = [];
  const add = (scope: string, max: number | undefined) => {
    if (max !== undefined) scopes.push({ scope, max });
  };
  add('fleet', capacity.fleet);
  add(`executor:${lane.executor}`, capacity.executor[lane.executor]);
  add(`account:${lane.executor}/${lane.account}`, capacity.account[`${lane.executor}/${lane.account}`]);
  if (lane.place.kind === 'project') add(`project:${lane.place.id}`, capacity.project[lane.place.id]);
  if (lane.placement === 'in_place') add(`place:${lane.place.id}`, 1);
  return scopes;
}

export const hasRoom = (hold: Hold | undefined, { max }: HoldScope): boolean => (hold?.holders.length ?? 0) < max;

export const withHolder = (hold: Hold | undefined, scope: string, runId: RunId): Hold => ({
  scope,
  holders: [...(hold?.holders ?? []), runId],
});

export const withoutHolder = (hold: Hold, runId: RunId): Hold => ({
  ...hold,
  holders: hold.holders.filter((holder) => holder !== runId),
});
