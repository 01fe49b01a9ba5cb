import type { OutputOf } from '../../../../contract/call.ts';
import { DEFAULT_ACCOUNT } from '../../../../domain/hold/account.ts';
import { ago } from '../../terminal/ages.ts';
import { columns } from '../../terminal/columns.ts';
import { plainLine } from '../../terminal/plain.ts';
import { shortId, type ViewStyle } from '../style.ts';
import { layout } from '../task/list.ts';

type Pause = OutputOf<'pause.lift'>;

export function pauseList({ items }: OutputOf<'pause.list'>, look: ViewStyle): string {
  if (items.length === 0) return 'No account is paused.\n';
  const { paint, nowMs } = look;
  return columns<Pause>(
    items,
    [
      { title: 'EXECUTOR', cell: pausedName, paint: paint.bold },
      { title: 'UNTIL', cell: ({ until, over }) => (over ? 'lifted' : ago(until, nowMs)) },
      { title: 'BY', cell: ({ stated }) => (stated ? 'its provider' : 'a guess'), expendable: 1 },
      { title: 'SINCE', cell: ({ since }) => ago(since, nowMs), paint: paint.dim, expendable: 2 },
      { title: 'RUN', cell: ({ runId }) => shortId(runId), paint: paint.dim, expendable: 3 },
      { title: 'WHY', cell: ({ why }) => plainLine(why), least: 16 },
    ],
    layout(look),
  );
}

export const pauseLifted = (pause: Pause, { paint }: ViewStyle): string =>
  `${paint.bold(pausedName(pause))} is no longer paused: what waits for it is started\n`;

export const pausedName = ({ executor, account }: Pick<Pause, 'executor' | 'account'>): string =>
  plainLine(account === DEFAULT_ACCOUNT ? executor : `${executor}/${account}`);
