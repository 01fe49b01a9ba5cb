import { Fault } from '../../domain/fault.ts';
import { isInForce, liftedPause, pauseId } from '../../domain/hold/pause.ts';
import { allHits } from '../../store/queries/every-hit.ts';
import { changeWrites } from '../../store/records/journal.ts';
import { pauseIndex, pauses } from '../../store/records/pauses.ts';
import { type Handlers, plan, type Scope } from '../scope.ts';

export const pauseHandlers: Pick<Handlers, 'pause.list' | 'pause.lift'> = {
  'pause.list': async ({ all, limit }, { reads, now }) => {
    const found = (await allHits(reads, pauseIndex.all)).map(pauses.read);
    return plan({ items: found.filter((pause) => all || isInForce(pause, now)).slice(0, limit) });
  },

  'pause.lift': async (lender, { reads, caller, now }) => {
    const seen = await pauses.get(reads, pauseId(lender));
    if (!seen || !isInForce(seen.body, now))
      throw new Fault(
        'not_found',
        `${lender.executor} is not paused on account ${lender.account}: \`fleet pause list\` shows what is`,
      );
    const next = liftedPause(seen.body, { at: now, by: caller.name });
    const note = { what: 'lifted', why: caller.name };
    return plan({ ...next, seq: next.seq + 1 }, changeWrites(pauses, seen, next, { author: { by: caller.name, at: now }, note }));
  },
};

/** The pauses in force now. */
export const pausesInForce = async ({ reads, now }: Pick<Scope, 'reads' | 'now'>) =>
  (await allHits(reads, pauseIndex.all)).map(pauses.read).filter((pause) => isInForce(pause, now));
