import type { AgentEvent, Step } from '../executor.ts';
import { failureOf } from './failures.ts';
import { type CodexFields, fieldsIn, nameIn, textIn } from './fields.ts';
import { begunIn, doneIn, staysIn } from './items.ts';
import { type CodexState, unchanged } from './state.ts';
import { clientIdOf, startTurn, withTurn } from './threads.ts';
import { contextIn, spentIn, usedUpUntil, windowsIn, withWindows } from './usage.ts';

/** Every notification of codex 0.166.0; an unknown one shows that codex has changed. */
export const NOTIFICATIONS: ReadonlySet<string> = new Set(
  [
    'account/gatewayOAuth/changed account/login/completed account/rateLimits/updated account/updated app/list/updated',
    'autoApprovalReview/strictReviewRequired command/exec/outputDelta configWarning deprecationNotice error',
    'externalAgentConfig/import/completed externalAgentConfig/import/progress fs/changed fuzzyFileSearch/sessionCompleted',
    'fuzzyFileSearch/sessionUpdated guardianWarning hook/completed hook/started item/agentMessage/delta',
    'item/autoApprovalReview/completed item/autoApprovalReview/started item/commandExecution/outputDelta',
    'item/commandExecution/terminalInteraction item/completed item/fileChange/outputDelta item/fileChange/patchUpdated',
    'item/mcpToolCall/progress item/plan/delta item/reasoning/summaryPartAdded item/reasoning/summaryTextDelta',
    'item/reasoning/textDelta item/started mcpServer/event/stream/notification mcpServer/oauthLogin/completed',
    'mcpServer/startupStatus/updated model/rerouted model/safetyBuffering/updated model/verification',
    'modelProvider/authRecoveryCompleted modelProvider/authRecoveryStarted process/exited process/outputDelta project/changed',
    'rawResponse/completed rawResponseItem/completed remoteControl/status/changed serverRequest/resolved skills/changed',
    'thread/archived thread/attachment/updated thread/closed thread/compacted thread/deleted thread/environment/connected',
    'thread/environment/disconnected thread/goal/cleared thread/goal/updated thread/name/updated thread/prediction/updated',
    'thread/project/updated thread/queue/changed thread/readState/changed thread/realtime/closed thread/realtime/error',
    'thread/realtime/item/completed thread/realtime/item/started thread/realtime/item/transcript/delta',
    'thread/realtime/itemAdded thread/realtime/outputAudio/delta thread/realtime/sdp thread/realtime/started',
    'thread/realtime/transcript/delta thread/realtime/transcript/done thread/reverted thread/settings/updated thread/started',
    'thread/status/changed thread/tokenUsage/updated thread/unarchived turn/completed turn/diff/updated',
    'turn/moderationMetadata turn/plan/updated turn/started warning windows/worldWritableWarning',
    'windowsSandbox/setupCompleted',
  ].flatMap((line) => line.split(' ')),
);

const SUMMARY = 500;
const MOST_PATCHES = 20;
/** More retries than codex makes for any answer of its provider. Without a network it retries for ever, ever more slowly. */
const MOST_TRIES = 7;
const TAKE_UP = 'Take up my last message now.';

/** Handles a notification. */
export function reduceNotification(state: CodexState, method: string, params: CodexFields): Step {
  // Helper agents have their own threads: their usage counts, but their words are not the agent's.
  const isOwn = state.thread !== undefined && params['threadId'] === state.thread;
  switch (method) {
    case 'turn/started': {
      const turn = nameIn(fieldsIn(params, 'turn'), 'id');
      return unchanged(turn === undefined ? state : withTurn(state, turn, isOwn));
    }
    case 'thread/tokenUsage/updated':
      return used(state, params, isOwn);
    case 'account/rateLimits/updated':
      return quotas(state, windowsIn(fieldsIn(params, 'rateLimits')));
    case 'item/started':
      return isOwn ? itemStarted(state, fieldsIn(params, 'item')) : unchanged(withPatch(state, fieldsIn(params, 'item')));
    case 'item/completed':
      return isOwn ? itemCompleted(state, fieldsIn(params, 'item')) : unchanged(state);
    case 'error':
      return isOwn && params['willRetry'] === true ? countRetry(state, fieldsIn(params, 'error')) : unchanged(state);
    case 'turn/completed':
      return isOwn ? turnCompleted(state, fieldsIn(params, 'turn')) : unchanged(state);
    case 'serverRequest/resolved':
      return unchanged({ ...state, pending: state.pending.filter(({ id }) => id !== params['requestId']) });
    default:
      return unchanged(state);
  }
}

/** Counts usage of turns of this run only: a resumed conversation first reports its earlier usage. */
function used(state: CodexState, params: CodexFields, isOwn: boolean): Step {
  if (!state.turns.includes(textIn(params, 'turnId') ?? '')) return unchanged(state);
  const usage = fieldsIn(params, 'tokenUsage');
  const events = [spentIn(usage, state.model), ...(isOwn ? [contextIn(usage)] : [])];
  return { state: isOwn ? { ...state, tries: 0 } : state, events, send: [] };
}

function quotas(state: CodexState, windows: ReturnType<typeof windowsIn>): Step {
  if (windows.length === 0) return unchanged(state);
  const events = windows.map((window): AgentEvent => ({ type: 'quota', ...window }));
  return { state: { ...state, windows: withWindows(state.windows, windows) }, events, send: [] };
}

function itemStarted(state: CodexState, item: CodexFields): Step {
  if (textIn(item, 'type') === 'userMessage') return heard(state, textIn(item, 'clientId'));
  const events = begunIn(item);
  const now = { ...withPatch(state, item), unanswered: false, tries: 0, stirred: state.stirred || events.length > 0 };
  return { state: now, events, send: [] };
}

const withPatch = (state: CodexState, item: CodexFields): CodexState => {
  const id = nameIn(item, 'id');
  if (textIn(item, 'type') !== 'fileChange' || id === undefined || !state.tools || !staysIn(state.directory, item)) return state;
  return { ...state, patches: [...state.patches, id].slice(-MOST_PATCHES) };
};

function heard(state: CodexState, clientId: string | undefined): Step {
  const message = state.unheard.find(({ n }) => clientIdOf(state, n) === clientId);
  if (!message) return unchanged(state);
  const unheard = state.unheard.filter((other) => other !== message);
  return { state: { ...state, unheard, unanswered: true }, events: [{ type: 'heard', n: message.n }], send: [] };
}

function itemCompleted(state: CodexState, item: CodexFields): Step {
  const events = doneIn(item);
  if (textIn(item, 'type') !== 'agentMessage') return { state, events, send: [] };
  const said = (textIn(item, 'text') ?? '').slice(-SUMMARY);
  return { state: { ...state, said, stirred: true, unanswered: false, tries: 0 }, events, send: [] };
}

/** A retry is a sign of life, up to a number of retries. */
function countRetry(state: CodexState, error: CodexFields): Step {
  const tries = state.tries + 1;
  if (tries <= MOST_TRIES) return unchanged({ ...state, tries });
  const message = `it could not reach its model and tried again ${tries} times: ${textIn(error, 'additionalDetails') ?? ''}`;
  return over(state, failureOf({ ...error, message }, undefined));
}

function turnCompleted(state: CodexState, turn: CodexFields): Step {
  const id = textIn(turn, 'id');
  if (id === undefined || id !== state.turn) return unchanged(state);
  const status = textIn(turn, 'status');
  if (status === 'interrupted') return over(state, failureOf({ message: 'its turn was interrupted' }, undefined));
  if (status !== 'completed') return over(state, failureOf(fieldsIn(turn, 'error'), usedUpUntil(state.windows)));
  const { turn: _, ...idle } = state;
  // The ending turn recorded the message but did not show it to the model.
  if (state.unanswered) return startTurn({ ...idle, unanswered: false }, { text: TAKE_UP });
  // A message on its way starts another turn.
  if (state.unheard.some((message) => message.turn !== id)) return unchanged(idle);
  if (!state.stirred) return over(state, [{ type: 'ended', verdict: 'refused', summary: 'its model gave no answer' }]);
  return over(state, [{ type: 'ended', verdict: 'succeeded', summary: state.said }]);
}

const over = (state: CodexState, events: readonly AgentEvent[]): Step => ({ state: { ...state, ended: true }, events, send: [] });
