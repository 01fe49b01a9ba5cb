import type { AcpAgent } from '../acp-client/acp-agent.ts';
import { textIn } from '../acp-client/rpc.ts';
import type { AcpState } from '../acp-client/state.ts';
import { exceededLimit, stopRun } from '../acp-client/stop.ts';
import { type AcpStep, acpStep, count } from '../acp-client/updates.ts';
import type { AgentEvent } from '../executor.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The program waits silently for as long as its provider says. A longer wait than this ends the run as limited. */
const LONGEST_WAIT_MS = 90_000;
/** The program summarises a full conversation, and repeats that for ever if it does not help. */
const MOST_OVERFLOWS = 3;

/** Handlers of the notifications that the plugin in the run directory prints. */
export const notices: NonNullable<AcpAgent['notificationHandlers']> = {
  '_fleet/step': step,
  '_fleet/error': failure,
  '_fleet/retry': retry,
};

function step(before: AcpState, params: Fields): AcpStep {
  const inputTokens = count(params['input']) ?? 0;
  const outputTokens = count(params['output']) ?? 0;
  const cachedTokens = count(params['cached']) ?? 0;
  // Before a forked conversation is open, its whole past is replayed.
  if (before.session === undefined || inputTokens + outputTokens + cachedTokens === 0) return acpStep(before);
  const cost = params['cost'];
  const costUsd = typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : undefined;
  const model = textIn(params['model']);
  const spent: AgentEvent = {
    type: 'spent',
    inputTokens,
    outputTokens,
    cachedTokens,
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(model === undefined ? {} : { model }),
  };
  const isProgress = params['summary'] !== true && params['finish'] !== 'error';
  const state: AcpState = {
    ...before,
    steps: before.steps + 1,
    stepsUsd: before.stepsUsd + (costUsd ?? 0),
    overflows: isProgress ? 0 : before.overflows,
  };
  const limit = count(params['window']);
  const context: AgentEvent[] = isProgress
    ? [{ type: 'context', tokens: inputTokens + cachedTokens, ...(limit === undefined ? {} : { limit }) }]
    : [];
  const why = exceededLimit(state, params['finish'] === 'tool-calls');
  const stop = why === undefined ? acpStep(state) : stopRun(state, 'over_budget', why);
  return { ...stop, events: [spent, ...context, ...stop.events] };
}

function failure(before: AcpState, params: Fields): AcpStep {
  const name = textIn(params['name'])?.slice(0, 100);
  const status = count(params['status']);
  const state: AcpState = {
    ...before,
    failure: { ...(name === undefined ? {} : { name }), ...(status === undefined ? {} : { status }) },
  };
  if (name !== 'ContextOverflowError') return acpStep(state);
  const overflows = before.overflows + 1;
  if (overflows < MOST_OVERFLOWS) return acpStep({ ...state, overflows });
  return stopRun({ ...state, overflows }, 'context_full', 'its conversation is too long, and summarising it does not help');
}

/** A retry is a sign of life, unless it is too far away. */
function retry(state: AcpState, params: Fields): AcpStep {
  const waitMs = count(params['waitMs']) ?? 0;
  const until = instantOf(params['next']);
  if (waitMs <= LONGEST_WAIT_MS || until === undefined) return acpStep(state);
  const why = `its provider lets it try again at ${until}`;
  return stopRun(state, 'errored', why, [{ type: 'limited', until, why }]);
}

const LATEST_MS = 8e15;
const instantOf = (ms: unknown): string | undefined =>
  typeof ms === 'number' && Math.abs(ms) < LATEST_MS ? new Date(ms).toISOString() : undefined;
