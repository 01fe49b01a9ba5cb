import type { OutputOf } from '../../../../contract/call.ts';
import type { RunView } from '../../../../contract/run.ts';
import type { Usage } from '../../../../domain/run/usage.ts';
import { ago, clockTime } from '../../terminal/ages.ts';
import { columns } from '../../terminal/columns.ts';
import { plainLine } from '../../terminal/plain.ts';
import { truncate } from '../../terminal/width.ts';
import { indented, wrap } from '../../terminal/wrap.ts';
import { compact } from '../run/list.ts';
import { counted, shortId, type ViewStyle } from '../style.ts';
import { layout } from '../task/list.ts';

type TaskCost = OutputOf<'task.cost'>;
type Row = TaskCost['runs'][number];
type Quota = NonNullable<Row['quota']>;

/** What is known of the dollars, and that it is not all where it is not. */
export function dollarsText(usage: Usage | undefined): string {
  const { costUsd, unpriced } = usage ?? {};
  if (costUsd === undefined) return 'unknown';
  return unpriced === undefined ? dollars(costUsd) : `more than ${dollars(costUsd)}`;
}

const dollars = (usd: number): string => `$${usd.toFixed(usd > 0 && usd < 0.1 ? 4 : 2)}`;

export const tokensText = ({ inputTokens, outputTokens, cachedTokens }: Omit<Usage, 'costUsd'>): string =>
  [`${compact(inputTokens)} in`, `${compact(outputTokens)} out`, cachedTokens > 0 && `${compact(cachedTokens)} cached`]
    .filter(Boolean)
    .join(', ');

export const quotaText = (quota: Quota, nowMs: number): string =>
  quota
    .map(
      ({ window, used, resets }) =>
        `${plainLine(window)} ${Math.round(used * 100)} % used${resets ? `, begins again ${ago(resets, nowMs)}` : ''}`,
    )
    .join('; ');

type Context = NonNullable<NonNullable<RunView['watch']>['context']>;

/** How full the window of an agent is. */
export function contextText({ tokens, limit, estimate }: Context): string {
  const share = limit ? ` of ${compact(limit)} (${Math.floor((tokens / limit) * 100)} %)` : '';
  return `${compact(tokens)} tokens${share}${estimate ? ', an estimate' : ''}`;
}

/** The sum first, then each run, then its turns. */
export function taskCost(cost: TaskCost, look: ViewStyle): string {
  const { paint } = look;
  const { usage, turns, runs } = cost;
  if (runs.length === 0) return 'No agent has worked on it yet.\n';
  const sum = `${paint.bold(dollarsText(usage))} API-equivalent in ${counted(turns, 'turn')} of ${counted(runs.length, 'run')}\n${usage ? `${tokensText(usage)}\n` : ''}`;
  const limits = [
    cost.maxBudgetUsd !== undefined && `$${cost.maxBudgetUsd}`,
    cost.maxTokens !== undefined && `${compact(cost.maxTokens)} tokens`,
    cost.maxTurns !== undefined && counted(cost.maxTurns, 'turn'),
  ].filter(Boolean);
  const parts = cost.withParts ? `${dollarsText(cost.withParts)} with its parts, which share its budget\n` : '';
  const most = limits.length > 0 ? `at most ${limits.join(', ')}\n` : '';
  return [sum + parts + most, ...runs.map((run) => runCost(run, look)), origin(cost, look)]
    .filter((part) => part !== '')
    .join('\n');
}

function runCost(run: Row, look: ViewStyle): string {
  const { paint, nowMs } = look;
  const { usage, spent, turns, quota } = run;
  const state = run.outcome?.replaceAll('_', ' ') ?? 'goes on';
  const head = `${paint.bold(`run ${shortId(run.runId)}`)} ${truncate(plainLine(run.executor), 30)}, ${state}: ${dollarsText(usage)}\n`;
  const share =
    quota && quota.length > 0 ? `${indented(wrap(quotaText(quota, nowMs), Math.max(20, look.width - 2)), '  ')}\n` : '';
  if (spent.length === 0) return head + share;
  const first = turns - spent.length + 1;
  const table = columns(
    spent.map((turn, index) => ({ ...turn, n: first + index })),
    [
      { title: '  TURN', cell: ({ n }) => `  ${n}`, align: 'right' },
      { title: 'ENDED', cell: ({ at }) => clockTime(at, nowMs), paint: paint.dim },
      { title: 'IN', cell: ({ inputTokens }) => compact(inputTokens), align: 'right' },
      { title: 'OUT', cell: ({ outputTokens }) => compact(outputTokens), align: 'right' },
      { title: 'CACHED', cell: ({ cachedTokens }) => compact(cachedTokens), align: 'right', expendable: 2 },
      { title: 'COST', cell: ({ costUsd }) => (costUsd === undefined ? 'unknown' : dollars(costUsd)), align: 'right' },
      { title: 'MODEL', cell: ({ model }) => plainLine(model ?? run.model ?? '–'), expendable: 1 },
    ],
    layout(look),
  );
  return head + share + table;
}

export function fleetCost(cost: OutputOf<'fleet.cost'>, look: ViewStyle): string {
  const { paint } = look;
  if (cost.items.length === 0) return 'No agent has worked in these days.\n';
  const table = columns(
    cost.items,
    [
      { title: 'DAY', cell: ({ day }) => day },
      { title: 'EXECUTOR', cell: ({ executor }) => plainLine(executor), least: 8 },
      { title: 'RUNS', cell: ({ runs }) => String(runs), align: 'right' },
      { title: 'TURNS', cell: ({ turns }) => String(turns), align: 'right', expendable: 1 },
      { title: 'TOKENS', cell: ({ usage }) => (usage ? tokensText(usage) : 'unknown'), expendable: 2 },
      { title: 'COST', cell: ({ usage }) => dollarsText(usage), align: 'right' },
    ],
    layout(look),
  );
  const cut = cost.isCut ? paint.dim('There were more runs than were looked at: these are the newest.\n') : '';
  return `${table}${paint.bold(dollarsText(cost.usage))} API-equivalent in all\n${cut}${origin(cost, look)}`;
}

/** Where dollars come from that no program has said, and what is missing. */
function origin({ usage, pricesAsOf }: { usage?: Usage | undefined; pricesAsOf: string }, { paint }: ViewStyle): string {
  const lines = [
    usage?.listUsd !== undefined && `${dollars(usage.listUsd)} of it by list prices of ${pricesAsOf} and your prices.toml.`,
    usage?.unpriced !== undefined && `Nobody knows what ${counted(usage.unpriced, 'turn')} cost: give its price in prices.toml.`,
  ];
  return lines
    .filter((text) => text !== false)
    .map((text) => paint.dim(`${text}\n`))
    .join('');
}
