import { isRecord } from '../agent-event.ts';
import type { AgentEvent, Executor, Step } from '../executor.ts';
import type { AcpAgent, AcpUsage } from './acp-agent.ts';
import { ended, failed, messageOf } from './failure.ts';
import {
  beginConversation,
  chooseModel,
  newSession,
  openAcpConversation,
  openSession,
  promptFiles,
  sendPrompt,
} from './open-conversation.ts';
import { allowOnceOption, anyAllowOption, askOf, denyOption, isAllowed, optionsIn, selectionReply } from './permission.ts';
import { type AcpMessage, fieldsOf, METHOD_NOT_FOUND, messageIn, type RpcId, refusal, textIn } from './rpc.ts';
import { type AcpState, asState, type SentRequest } from './state.ts';
import { exceededLimit, stopRun } from './stop.ts';
import { type AcpStep, acpStep, count, flushWords, reduceUpdate, toolCalled } from './updates.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The most open requests of one run; further ones are denied. */
const mostAsks = 8;
const mostWaiting = 32;

/** The executor of an agent that speaks the Agent Client Protocol, version 1. */
export const acpExecutor = (agent: AcpAgent): Executor => ({
  name: agent.name,
  can: agent.can,
  ...(agent.program ? { program: agent.program } : {}),
  ...(agent.versionArgs ? { versionArgs: agent.versionArgs } : {}),
  ...(agent.contextLimit === undefined ? {} : { contextLimit: agent.contextLimit }),
  launch: (job) => {
    const launch = agent.launch(job);
    return { ...launch, files: [...launch.files, ...promptFiles(job)], mode: 'twoway' };
  },
  begin: beginConversation,
  step: (raw, line) => {
    const message = messageIn(line);
    return (message && handled(agent, asState(raw), message)) ?? { state: raw, events: [], send: [], unknown: true };
  },
  say: (raw, message) => said(agent, asState(raw), message),
  answer: (raw, request, text) => answered(asState(raw), request, text),
  exit: () => [],
});

function handled(agent: AcpAgent, state: AcpState, message: AcpMessage): Step | undefined {
  switch (message.kind) {
    case 'request':
      return requested(agent, state, message);
    case 'notice':
      return noticed(agent, state, message);
    case 'result':
    case 'error':
      return concluded(agent, state, message);
  }
}

function noticed(
  agent: AcpAgent,
  state: AcpState,
  { method, params }: Extract<AcpMessage, { kind: 'notice' }>,
): Step | undefined {
  const own = agent.notificationHandlers?.[method];
  if (own) return own(state, params);
  // Methods outside `session/` are extensions, which each agent has.
  if (method !== 'session/update') return method.startsWith('session/') ? undefined : acpStep(state);
  const found = reduceUpdate(state, fieldsOf(params['update']));
  if (!found) return undefined;
  if (state.over) return acpStep(state);
  if (agent.endsTurnOnDenial && state.denied) return acpStep({ ...found.state, denied: true }, found.events);
  // While a conversation is loaded, the program replays it from its beginning.
  if (state.waiting.some(({ what }) => what === 'again' || what === 'past'))
    return acpStep({ ...state, ...pastCost(found.state) });
  const why = agent.reportsSteps ? undefined : exceededLimit(found.state, true);
  if (why === undefined) return found;
  const stop = stopRun(found.state, 'over_budget', why);
  return { ...stop, events: [...found.events, ...stop.events] };
}

const pastCost = ({ costUsd }: AcpState): Partial<AcpState> => (costUsd === undefined ? {} : { costUsd, toldUsd: costUsd });

function requested(agent: AcpAgent, state: AcpState, message: Extract<AcpMessage, { kind: 'request' }>): Step {
  const { id, method, params } = message;
  if (method === 'session/request_permission') return permitted(agent, state, id, params);
  return acpStep(state, [], [refusal(id, METHOD_NOT_FOUND, `Fleet offers no ${method.slice(0, 100)}: use your own tools`)]);
}

function permitted(agent: AcpAgent, before: AcpState, id: RpcId, params: Fields): Step {
  const call = fieldsOf(params['toolCall']);
  const options = optionsIn(params);
  if (before.over) return acpStep(before, [], [selectionReply(id, undefined)]);
  const { state, events } = toolCalled(before, { ...call, status: 'in_progress' });
  if (state.tools) {
    const granted = isAllowed(agent, state.tools, call) ? allowOnceOption(options) : undefined;
    return acpStep({ ...state, denied: granted === undefined }, events, [selectionReply(id, granted ?? denyOption(options))]);
  }
  const option = anyAllowOption(options);
  if (option) return acpStep(state, events, [selectionReply(id, option)]);
  const ask = agent.can.ask && state.asks.length < mostAsks ? askOf(id, options) : undefined;
  if (!ask || state.asks.some(({ request }) => request === ask.request))
    return acpStep(state, events, [selectionReply(id, denyOption(options))]);
  const text = textIn(call['title']) ?? 'It asks for permission';
  const asked: AgentEvent = {
    type: 'asked',
    request: ask.request,
    kind: 'permission',
    text,
    options: ask.options.map(({ name }) => name),
  };
  return acpStep({ ...state, asks: [...state.asks, ask] }, [...events, asked]);
}

function concluded(
  agent: AcpAgent,
  before: AcpState,
  message: Extract<AcpMessage, { kind: 'result' | 'error' }>,
): Step | undefined {
  const request = before.waiting.find(({ id }) => id === message.id);
  if (!request) return undefined;
  const state = { ...before, waiting: before.waiting.filter(({ id }) => id !== message.id) };
  if (message.kind === 'error') return broken(agent, state, request, message.error);
  switch (request.what) {
    case 'initialize':
      return openAcpConversation(agent, state, message.result);
    case 'session':
    case 'again':
      return openSession(agent, state, request, message.result);
    case 'past':
    case 'model':
    case 'effort':
      return chooseModel(agent, state, message.result);
    case 'prompt':
      return turned(agent, state, request, message.result);
  }
}

function broken(agent: AcpAgent, state: AcpState, { what }: SentRequest, error: Fields): AcpStep {
  if (what === 'again') return newSession(agent, state);
  if (what === 'past') return chooseModel(agent, state, {});
  if (state.over || (what === 'prompt' && state.waiting.length > 0)) return acpStep(state);
  const { failure, ...spoke } = flushWords(state).state;
  const status = agent.statusIn?.(error);
  const told = { ...error, data: { ...fieldsOf(error['data']), ...(status === undefined ? {} : { status }), ...failure } };
  // A refused model or effort would be refused again.
  const events = what === 'model' || what === 'effort' ? ended('refused', messageOf(error)) : failed(told, agent.login);
  return acpStep({ ...spoke, over: true }, [...flushWords(state).events, ...events]);
}

/** The end of a turn. The run is over with the last turn that was requested. */
function turned(agent: AcpAgent, before: AcpState, { n }: SentRequest, result: Fields): AcpStep {
  const spoke = flushWords(before);
  const spent = spentIn(agent, spoke.state, result);
  const heard: AgentEvent[] = n === undefined ? [] : [{ type: 'heard', n }];
  const events = [...spoke.events, ...heard, ...spent.events];
  if (before.over || before.waiting.some(({ what }) => what === 'prompt')) return acpStep(spent.state, events);
  const isFailure = agent.failsWithoutUsage && !isRecord(result['usage']);
  const verdict = isFailure ? ended('errored', spent.state.said) : verdictOf(spent.state, textIn(result['stopReason']));
  return acpStep({ ...spent.state, over: true, open: [] }, [...events, ...verdict]);
}

function verdictOf({ said, acted, denied }: AcpState, stopReason = 'without a reason'): AgentEvent[] {
  switch (stopReason) {
    case 'end_turn':
      // Some agents also report `end_turn` if their model gave no answer, or if they give up after a denied permission.
      if (!acted) return ended('errored', 'its turn ended without a word');
      return denied ? ended('refused', 'it stopped at something that it may not do') : ended('succeeded', said);
    case 'max_tokens':
      return ended('context_full', said || 'it came to the limit of its model');
    case 'max_turn_requests':
      return ended('over_budget', 'it went back to its model as often as it may');
    case 'refusal':
      return ended('refused', said || 'its model refused');
    default:
      return ended('errored', `its turn ended: ${stopReason}`);
  }
}

function spentIn({ can, usageIn, reportsSteps }: AcpAgent, { spent, ...state }: AcpState, result: Fields): AcpStep {
  if (reportsSteps) return acpStep(state);
  const usage = usageIn?.(result) ?? spent ?? usageOf(fieldsOf(result['usage']));
  const costUsd = state.costUsd === undefined ? undefined : Math.max(0, state.costUsd - state.toldUsd);
  const now = { ...state, toldUsd: state.costUsd ?? 0 };
  if (!can.usage || (!usage && costUsd === undefined)) return acpStep(now);
  const tokens = usage ?? { inputTokens: 0, outputTokens: 0 };
  return acpStep(now, [{ type: 'spent', ...tokens, ...(costUsd === undefined ? {} : { costUsd }) }]);
}

function usageOf(usage: Fields): AcpUsage | undefined {
  const [inputTokens, outputTokens, cachedTokens] = ['inputTokens', 'outputTokens', 'cachedReadTokens'].map((name) =>
    count(usage[name]),
  );
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  return { inputTokens, outputTokens, ...(cachedTokens === undefined ? {} : { cachedTokens }) };
}

/** Sends a message into a running turn. There is none before the prompt is sent, and none after the run is over. */
function said({ can }: AcpAgent, state: AcpState, { n, text }: { readonly n: number; readonly text: string }): Step | undefined {
  const isBusy = state.waiting.some(({ what }) => what === 'prompt');
  if (!can.steer || !isBusy || state.over || state.waiting.length >= mostWaiting) return undefined;
  const sent = sendPrompt(state, text);
  return {
    ...sent,
    state: { ...sent.state, waiting: sent.state.waiting.map((one, at, all) => (at === all.length - 1 ? { ...one, n } : one)) },
  };
}

function answered(state: AcpState, request: string, text: string): Step | undefined {
  const ask = state.asks.find((one) => one.request === request);
  if (!ask) return undefined;
  const wanted = text.trim().toLowerCase();
  const option = ask.options.find(({ id, name }) => name.toLowerCase() === wanted || id.toLowerCase() === wanted);
  return acpStep({ ...state, asks: state.asks.filter((one) => one !== ask) }, [], [selectionReply(ask.id, option)]);
}
