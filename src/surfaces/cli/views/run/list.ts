import type { RunView } from '../../../../contract/run.ts';
import { msOf } from '../../../../domain/moment.ts';
import type { RunHealth } from '../../../../domain/run/health.ts';
import type { Outcome, RunPhase } from '../../../../domain/run/run.ts';
import { clockTime, span } from '../../terminal/ages.ts';
import { columns } from '../../terminal/columns.ts';
import { plainLine } from '../../terminal/plain.ts';
import { type Paint, shortId, type ViewStyle } from '../style.ts';
import { layout } from '../task/list.ts';

interface RunPage {
  readonly items: readonly RunView[];
}

export function runList({ items }: RunPage, look: ViewStyle): string {
  if (items.length === 0) return 'No runs. The engine starts them: fleet up\n';
  const { paint, nowMs, input } = look;
  const ofOneTask = input['task'] !== undefined;
  return columns<RunView>(
    items,
    [
      { title: 'ID', cell: ({ id }) => shortId(id), paint: paint.bold },
      ...(ofOneTask ? [] : [{ title: 'TASK', cell: ({ taskId }: RunView) => shortId(taskId), expendable: 4 }]),
      { title: 'ATTEMPT', cell: ({ attempt }) => String(attempt), align: 'right', expendable: 5 },
      { title: 'EXECUTOR', cell: ({ executor }) => plainLine(executor), least: 8, expendable: 3 },
      { title: 'MODEL', cell: ({ model }) => plainLine(model ?? '–'), least: 6, expendable: 6 },
      { title: 'STATE', cell: ({ phase }) => stateText(phase), paint: (text, { phase }) => statePaint(phase, paint)(text) },
      { title: 'STARTED', cell: ({ createdAt }) => clockTime(createdAt, nowMs), expendable: 7 },
      { title: 'TOOK', cell: (run) => span(tookMs(run, nowMs)), align: 'right', expendable: 2 },
      { title: 'TOKENS', cell: tokensOf, align: 'right', expendable: 8 },
      { title: 'LAST WORDS', cell: ({ watch }) => plainLine(watch?.lastWords ?? ''), least: 12, expendable: 1 },
    ],
    layout(look),
  );
}

/** The word people know an ending by is its outcome, not that it ended. */
export const stateText = (phase: RunPhase): string => `${signOf(phase)} ${wordOf(phase)}`;

const wordOf = (phase: RunPhase): string => (phase.state === 'ended' ? phase.outcome.replaceAll('_', ' ') : phase.state);

type Colour = 'green' | 'yellow' | 'red' | 'cyan' | 'dim';

const ENDINGS: Readonly<Record<Outcome, readonly [sign: string, colour: Colour]>> = {
  succeeded: ['✓', 'green'],
  no_changes: ['!', 'yellow'],
  blocked: ['!', 'yellow'],
  failed: ['✗', 'red'],
  crashed: ['✗', 'red'],
  stalled: ['✗', 'red'],
  timed_out: ['✗', 'red'],
  rate_limited: ['!', 'yellow'],
  context_full: ['✗', 'red'],
  over_budget: ['✗', 'red'],
  output_limit: ['✗', 'red'],
  refused: ['!', 'yellow'],
  auth_required: ['!', 'yellow'],
  canceled: ['–', 'dim'],
  lost: ['✗', 'red'],
};

const UNDER_WAY: Readonly<Record<Exclude<RunPhase['state'], 'ended'>, readonly [sign: string, colour: Colour]>> = {
  claimed: ['○', 'cyan'],
  running: ['▶', 'green'],
  ending: ['◆', 'yellow'],
};

const markOf = (phase: RunPhase) => (phase.state === 'ended' ? ENDINGS[phase.outcome] : UNDER_WAY[phase.state]);
export const signOf = (phase: RunPhase): string => markOf(phase)[0];
export const statePaint = (phase: RunPhase, paint: Paint): ((text: string) => string) => paint[markOf(phase)[1]];

const HEALTH_COLOURS: Readonly<Record<RunHealth, Colour>> = { healthy: 'green', degraded: 'yellow', unhealthy: 'red' };
export const healthPaint = (health: RunHealth, paint: Paint): ((text: string) => string) => paint[HEALTH_COLOURS[health]];

export const tookMs = ({ phase, createdAt }: RunView, nowMs: number): number =>
  (phase.state === 'ended' ? msOf(phase.at) : nowMs) - msOf(createdAt);

/** Tokens it has read and written; unknown is not zero. */
const tokensOf = ({ watch }: RunView): string =>
  watch?.usage === undefined ? '–' : compact(watch.usage.inputTokens + watch.usage.outputTokens);

/** `812`, `12.4k`, `3.1M`. */
export function compact(count: number): string {
  if (count < 1000) return String(count);
  const [size, unit] = count < 999_950 ? [1000, 'k'] : [1_000_000, 'M'];
  return `${(count / size).toFixed(1).replace(/\.0$/, '')}${unit}`;
}
