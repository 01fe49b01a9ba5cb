import type { AgentEvent, Step } from '../executor.ts';
import { fieldsOf, recordsIn, textIn } from './rpc.ts';
import type { AcpState, OpenTool } from './state.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A step with a typed state. */
export type AcpStep = Omit<Step, 'state'> & { readonly state: AcpState };

export const acpStep = (state: AcpState, events: readonly AgentEvent[] = [], send: readonly string[] = []): AcpStep => ({
  state,
  events,
  send,
});

const longestWords = 4_000;
const longestSummary = 2_000;
const longestName = 200;
const mostOpen = 64;

/** Known updates without any effect here. */
const MEANINGLESS = new Set([
  'user_message_chunk',
  'plan',
  'plan_update',
  'plan_removed',
  'available_commands_update',
  'current_mode_update',
  'current_model_update',
  'config_option_update',
  'session_info_update',
]);

/** The result of a session update; undefined for an unknown one. */
export function reduceUpdate(state: AcpState, update: Fields): AcpStep | undefined {
  const kind = textIn(update['sessionUpdate']) ?? '';
  switch (kind) {
    case 'agent_message_chunk':
      return spoken(counted(state, update), 'said', update);
    case 'agent_thought_chunk':
      return spoken(counted(state, update), 'thought', update);
    case 'tool_call':
    case 'tool_call_update':
      return toolCalled(state, update);
    case 'usage_update':
      return measured(state, update);
    default:
      return MEANINGLESS.has(kind) ? acpStep(state) : undefined;
  }
}

/** Collects pieces of text until something else happens. */
function spoken(state: AcpState, type: 'said' | 'thought', update: Fields): AcpStep {
  const text = textIn(fieldsOf(update['content'])['text']) ?? '';
  if (text === '') return acpStep(state);
  const before = state.words?.type === type ? acpStep(state) : flushWords(state);
  const whole = (before.state.words?.text ?? '') + text;
  const now = { ...before.state, words: { type, text: whole }, acted: true, denied: false };
  if (whole.length < longestWords) return { ...before, state: now };
  const said = flushWords({ ...now, words: { type, text: whole } });
  return { ...said, events: [...before.events, ...said.events] };
}

/** Emits the collected text as one event. */
export function flushWords({ words, ...state }: AcpState): AcpStep {
  if (!words) return acpStep(state);
  const said = words.type === 'said' && words.text.trim() !== '' ? words.text.slice(-longestSummary) : state.said;
  return acpStep({ ...state, said }, [{ type: words.type, text: words.text }]);
}

/** Adds the usage that some programs attach to each answer of their model. */
function counted(state: AcpState, update: Fields): AcpState {
  const usage = fieldsOf(fieldsOf(update['_meta'])['usage']);
  const [input, output, cached] = ['inputTokens', 'outputTokens', 'cachedReadTokens'].map((name) => count(usage[name]));
  if (input === undefined && output === undefined) return state;
  const { inputTokens, outputTokens, cachedTokens } = state.spent ?? { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  return {
    ...state,
    spent: {
      inputTokens: inputTokens + (input ?? 0),
      outputTokens: outputTokens + (output ?? 0),
      cachedTokens: cachedTokens + (cached ?? 0),
    },
  };
}

export const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value < 1e12 ? value : undefined;

export function toolCalled(state: AcpState, call: Fields): AcpStep {
  const id = textIn(call['toolCallId']);
  if (id === undefined || id === '' || id.length > longestName) return acpStep(state);
  const before = state.open.find((tool) => tool.id === id);
  const spoke = flushWords(state);
  const status = textIn(call['status']);
  const isDone = status === 'completed' || status === 'failed';
  const name = before?.name ?? nameOf(call);
  const emits = !before?.told && (isDone || isBegun(call, status));
  const detail = emits ? detailOf(call) : undefined;
  const events: AgentEvent[] = [
    ...(emits ? [{ type: 'tool' as const, id, name, ...(detail === undefined ? {} : { detail }) }] : []),
    ...(isDone ? [{ type: 'tool-done' as const, id, ok: status === 'completed' }] : []),
  ];
  const others = state.open.filter((tool) => tool.id !== id);
  const kept: OpenTool[] = isDone ? others : [...others, { id, name, told: emits || before?.told === true }].slice(-mostOpen);
  return acpStep({ ...spoke.state, open: kept, acted: true, denied: isDone && state.denied }, [...spoke.events, ...events]);
}

/** Whether a tool call has its input: programs announce a tool before that. */
function isBegun(call: Fields, status: string | undefined): boolean {
  if (status !== undefined && status !== 'pending') return true;
  return Object.keys(fieldsOf(call['rawInput'])).some((key) => key !== 'cwd');
}

const nameOf = (call: Fields): string => {
  const title = textIn(call['title']);
  const named = textIn(call['name']) ?? textIn(fieldsOf(call['_meta'])['toolName']);
  const word = title !== undefined && /^[\w-]+$/.test(title) ? title : undefined;
  return (named ?? word ?? textIn(call['kind']) ?? 'tool').slice(0, longestName);
};

function detailOf(call: Fields): string | undefined {
  const { command, url, query, pattern } = fieldsOf(call['rawInput']);
  const [place] = recordsIn(call['locations']);
  const found =
    textIn(command) ?? textIn(place?.['path']) ?? textIn(url) ?? textIn(query) ?? textIn(pattern) ?? textIn(call['title']);
  return found?.slice(0, longestWords);
}

function measured(state: AcpState, update: Fields): AcpStep {
  const tokens = count(update['used']);
  const limit = count(update['size']);
  const { amount, currency } = fieldsOf(update['cost']);
  const isCost = typeof amount === 'number' && Number.isFinite(amount) && amount >= 0 && currency === 'USD';
  const now = isCost ? { ...state, costUsd: amount } : state;
  // A failed turn reports 0, which does not mean an empty window.
  if (tokens === undefined || tokens === 0) return acpStep(now);
  return acpStep(now, [{ type: 'context', tokens, ...(limit === undefined || limit === 0 ? {} : { limit }) }]);
}
