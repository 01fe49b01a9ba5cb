import { type Caller, mayCall, seesAll } from '../../domain/authority.ts';
import { Fault } from '../../domain/fault.ts';
import type { Web } from '../http/web.ts';

/** Reading figures is no operation, and belongs to a role as if it were one. */
const READING = { name: 'fleet.metrics', role: 'monitor' } as const;

/** Figures tell of everybody's work, so whoever sees only some of it sees none of them. */
export const readsFigures = (caller: Caller): boolean => mayCall(caller.role, READING) && seesAll(caller);

export interface Figures {
  /** Of the text, as Prometheus names it. */
  readonly type: string;
  text(): Promise<string>;
}

/** Figures for Prometheus. */
export function mountMetrics(web: Web, figures: Figures): void {
  web.get('/metrics', async (asked) => {
    const caller = asked.get('caller');
    if (!readsFigures(caller))
      throw new Fault('forbidden', `metrics need a token with the role monitor, of no team; this one is ${caller.role}`, {
        hint: '`fleet token create NAME --role monitor` makes one',
      });
    return asked.body(await figures.text(), 200, { 'content-type': figures.type });
  });
}
