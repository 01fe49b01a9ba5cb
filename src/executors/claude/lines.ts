import type { AgentEvent, Step } from '../../domain/agent/executor.ts';
import { type ClaudeFields, countOf, fieldsOf, instantOf, listOf, textOf } from './fields.ts';
import { requested, withdrawn } from './requests.ts';
import { judgeResult, spentIn } from './result.ts';
import type { ClaudeState, UsageSinceResult } from './state.ts';

type Reader = (state: ClaudeState, line: ClaudeFields) => Step;

const quiet = (state: ClaudeState): Step => ({ state, events: [], send: [] });
const telling = (state: ClaudeState, events: readonly AgentEvent[]): Step => ({ state, events, send: [] });

/** The reducers of lines by their type. A type that is not here did not exist in the proved version. */
export const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['system', system],
  ['assistant', assistant],
  ['user', user],
  ['result', result],
  ['command_lifecycle', lifecycle],
  ['control_request', requested],
  ['control_cancel_request', withdrawn],
  ['control_response', windowAnswer],
  ['rate_limit_event', limits],
  // Only signs of life.
  ...[
    'keep_alive',
    'stream_event',
    'tool_progress',
    'tool_use_summary',
    'auth_status',
    'prompt_suggestion',
    'streamlined_text',
  ].map((type): [string, Reader] => [type, quiet]),
]);

/** `init` comes before every turn, always with the same session. Other subtypes, such as retries, are only signs of life. */
function system(state: ClaudeState, line: ClaudeFields): Step {
  const session = textOf(line['session_id']);
  return line['subtype'] === 'init' && session ? telling(state, [{ type: 'opened', session }]) : quiet(state);
}

const SYNTHETIC = '<synthetic>';

function assistant(state: ClaudeState, line: ClaudeFields): Step {
  const message = fieldsOf(line['message']);
  const problem = textOf(line['error']);
  // For a failure, the program prints its own text in place of the model's.
  if (problem !== undefined || message['model'] === SYNTHETIC)
    return quiet(problem === undefined ? state : { ...state, problem });
  const isMain = textOf(line['parent_tool_use_id']) === undefined;
  const { problem: _, until: __, ...before } = state;
  const clean = { ...before, ...usageAdded(state.since, message) };
  const blocks = listOf(message['content']).flatMap((block) => blockEvents(fieldsOf(block), isMain));
  const filled = isMain ? promptTokens(fieldsOf(message['usage'])) : 0;
  if (filled === 0 || filled === state.filled) return telling(clean, blocks);
  const events = [...blocks, contextOf(filled, state.window)];
  if (filled < ASK_FROM || state.window !== undefined || state.isAsked) return telling({ ...clean, filled }, events);
  return { state: { ...clean, filled, isAsked: true }, events, send: [windowRequest(state)] };
}

const LONGEST_NAME = 200;

/** Adds the usage of an answer once, although each of its lines repeats it. Output tokens are final only in the result. */
function usageAdded(since: UsageSinceResult | undefined, { id, model, usage }: ClaudeFields): { since?: UsageSinceResult } {
  const message = textOf(id)?.slice(0, LONGEST_NAME) ?? '';
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = fieldsOf(usage);
  if (message === '' || message === since?.message) return {};
  return {
    since: {
      message,
      model: textOf(model)?.slice(0, LONGEST_NAME) ?? '',
      inputTokens: (since?.inputTokens ?? 0) + countOf(input_tokens) + countOf(cache_creation_input_tokens),
      outputTokens: (since?.outputTokens ?? 0) + countOf(output_tokens),
      cachedTokens: (since?.cachedTokens ?? 0) + countOf(cache_read_input_tokens),
    },
  };
}

/**
 * The program reports the size of its window at the end of a turn, which may be too late. A request for it makes the provider count
 * every part, one request each, so Fleet asks once, and only from this many tokens.
 */
const ASK_FROM = 100_000;

const windowRequest = ({ run }: ClaudeState): string =>
  JSON.stringify({ type: 'control_request', request_id: `${run}.window`, request: { subtype: 'get_context_usage' } });

const contextOf = (tokens: number, limit: number | undefined): AgentEvent => ({
  type: 'context',
  tokens,
  ...(limit === undefined ? {} : { limit }),
});

/** The tokens of the prompt. Those of the answer are not known yet at this point. */
const promptTokens = (usage: ClaudeFields): number =>
  countOf(usage['input_tokens']) + countOf(usage['cache_creation_input_tokens']) + countOf(usage['cache_read_input_tokens']);

/** The events of one content block. Text of helper agents is left out, their tool calls count. */
function blockEvents(block: ClaudeFields, isMain: boolean): AgentEvent[] {
  const { type, text, thinking, id, name, input } = block;
  if (type === 'text' && typeof text === 'string' && isMain) return [{ type: 'said', text }];
  if (type === 'thinking' && typeof thinking === 'string' && thinking !== '' && isMain)
    return [{ type: 'thought', text: thinking }];
  if (type !== 'tool_use' || typeof id !== 'string' || typeof name !== 'string') return [];
  const detail = detailIn(fieldsOf(input));
  return [{ type: 'tool', id, name, ...(detail === undefined ? {} : { detail }) }];
}

const DETAILS = ['command', 'file_path', 'notebook_path', 'pattern', 'url', 'query', 'description', 'skill'];
const DETAIL = 200;

function detailIn(input: ClaudeFields): string | undefined {
  const found = DETAILS.map((name) => input[name]).find((value) => typeof value === 'string' && value !== '');
  return textOf(found)?.slice(0, DETAIL);
}

function user(state: ClaudeState, line: ClaudeFields): Step {
  const results = listOf(fieldsOf(line['message'])['content']).flatMap((block): AgentEvent[] => {
    const { type, tool_use_id, is_error } = fieldsOf(block);
    return type === 'tool_result' && typeof tool_use_id === 'string'
      ? [{ type: 'tool-done', id: tool_use_id, ok: is_error !== true }]
      : [];
  });
  return telling(state, results);
}

/** A message is heard once a turn has taken it up. A cancelled message never will be. */
function lifecycle(state: ClaudeState, line: ClaudeFields): Step {
  const found = state.unheard.find(({ id }) => id === line['command_uuid']);
  const isTaken = line['state'] === 'started' || line['state'] === 'completed';
  if (!found || (!isTaken && line['state'] !== 'cancelled')) return quiet(state);
  const { held, ...rest } = { ...state, unheard: state.unheard.filter((one) => one !== found) };
  // A message taken up after a result starts another turn, which will have its own result.
  if (isTaken) return telling(rest, [{ type: 'heard', n: found.n }]);
  if (!held || rest.unheard.length > 0) return quiet(held ? { ...rest, held } : rest);
  return telling({ ...rest, isOver: true }, [{ type: 'ended', ...held }]);
}

/** The end of a turn. It is the end of the run unless a message will start another turn. */
function result(state: ClaudeState, line: ClaudeFields): Step {
  const { verdict, limited, summary } = judgeResult(line, state.problem);
  const spent = spentIn(line);
  const refused: AgentEvent = { type: 'limited', why: summary, ...(state.until === undefined ? {} : { until: state.until }) };
  const costs = [...(spent ? [spent] : []), ...(limited ? [refused] : [])];
  const { since: _, ...before } = state;
  const next = { ...before, ...windowIn(line) };
  if (state.isOver) return telling(next, spent ? [spent] : []);
  if (state.unheard.length > 0 || countOf(line['queued_turn_count']) > 0)
    return telling({ ...next, held: { verdict, summary } }, spent ? [spent] : []);
  return telling({ ...next, isOver: true }, [...costs, { type: 'ended', verdict, summary }]);
}

function windowIn(line: ClaudeFields): { window?: number } {
  const sizes = Object.values(fieldsOf(line['modelUsage'])).map((use) => countOf(fieldsOf(use)['contextWindow']));
  const window = Math.max(0, ...sizes);
  return window > 0 ? { window } : {};
}

/** The answer to the request for the size of the window. */
function windowAnswer(state: ClaudeState, line: ClaudeFields): Step {
  const window = countOf(fieldsOf(fieldsOf(line['response'])['response'])['maxTokens']);
  return window === 0 ? quiet(state) : telling({ ...state, window }, [contextOf(state.filled ?? 0, window)]);
}

const WINDOWS = 10;
const WINDOW_NAME = 60;

/** The quota windows of a subscription, and until when the provider rejects requests. */
function limits(state: ClaudeState, line: ClaudeFields): Step {
  const info = fieldsOf(line['rate_limit_info']);
  const windows = Object.entries(fieldsOf(info['unifiedWindows'])).slice(0, WINDOWS);
  const single = textOf(info['rateLimitType']);
  const all = windows.length > 0 || single === undefined ? windows : [[single, info] as const];
  const quota = all.flatMap(([window, use]): AgentEvent[] => {
    const { utilization, resetsAt } = fieldsOf(use);
    const resets = instantOf(resetsAt);
    if (typeof utilization !== 'number' || !(utilization >= 0)) return [];
    return [
      { type: 'quota', window: window.slice(0, WINDOW_NAME), used: Math.min(1, utilization), ...(resets ? { resets } : {}) },
    ];
  });
  const until = info['status'] === 'rejected' ? instantOf(info['resetsAt']) : undefined;
  return telling(until === undefined ? state : { ...state, until }, quota);
}
