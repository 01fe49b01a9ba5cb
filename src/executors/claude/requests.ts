import type { Step } from '../../domain/agent/executor.ts';
import { type ClaudeFields, fieldsOf, listOf, textOf } from './fields.ts';
import { denial, ruling } from './restriction.ts';
import type { ClaudeRequest, ClaudeState } from './state.ts';

/* Requests of the program to use a tool, decided here or by a person. */

/** The most open requests of one run, and the most characters of one; others are denied. */
const MOST_PENDING = 4;
const LONGEST = 8_000;
const QUESTION = 'AskUserQuestion';
const ALLOW = 'allow';

export function requested(state: ClaudeState, line: ClaudeFields): Step {
  const request = textOf(line['request_id']) ?? '';
  const { subtype, tool_name, input: given } = fieldsOf(line['request']);
  const tool = textOf(tool_name);
  const input = fieldsOf(given);
  if (request === '' || request.length > 200 || state.pending.some((one) => one.request === request)) return quiet(state);
  if (subtype !== 'can_use_tool' || tool === undefined)
    return sending(state, refusal(request, `fleet does not answer ${String(subtype).slice(0, 40)}`));
  const decided = ruling(state.tools, tool, input);
  if (decided === 'allow') return sending(state, permission(request, input));
  if (decided === 'deny') return sending(state, prohibition(request, denial(state.tools, tool)));
  if (state.pending.length >= MOST_PENDING || JSON.stringify(input).length > LONGEST)
    return sending(
      state,
      prohibition(request, 'The request is too long, or too many are open, to ask a person. Ask in fewer words, or later.'),
    );
  return {
    state: { ...state, pending: [...state.pending, { request, tool, input }] },
    events: [asked({ request, tool, input })],
    send: [],
  };
}

/** The program has withdrawn a request. */
export const withdrawn = (state: ClaudeState, line: ClaudeFields): Step =>
  quiet({ ...state, pending: state.pending.filter(({ request }) => request !== line['request_id']) });

export function answered(state: ClaudeState, request: string, text: string): Step | undefined {
  const found = state.pending.find((one) => one.request === request);
  if (!found) return undefined;
  const next = { ...state, pending: state.pending.filter((one) => one !== found) };
  if (found.tool === QUESTION) {
    const answers = Object.fromEntries(questionsIn(found.input).map(({ question }) => [question, text]));
    return sending(next, permission(request, { ...found.input, answers }));
  }
  const isAllowed = text.trim().toLowerCase() === ALLOW;
  return sending(next, isAllowed ? permission(request, found.input) : prohibition(request, text));
}

const asked = ({ request, tool, input }: ClaudeRequest) => {
  if (tool !== QUESTION) {
    const text = `May ${tool} be used with ${JSON.stringify(input)}?`;
    return { type: 'asked', request, kind: 'permission', text, options: [ALLOW, 'deny'] } as const;
  }
  const questions = questionsIn(input);
  const [first] = questions;
  const text = questions.map(({ question }) => question).join('\n') || 'It asks without a question.';
  return {
    type: 'asked',
    request,
    kind: 'question',
    text,
    options: questions.length === 1 ? (first?.options ?? []) : [],
  } as const;
};

const questionsIn = (input: ClaudeFields): { readonly question: string; readonly options: readonly string[] }[] =>
  listOf(input['questions']).flatMap((one) => {
    const { question, options } = fieldsOf(one);
    if (typeof question !== 'string') return [];
    return [{ question, options: listOf(options).flatMap((option) => textOf(fieldsOf(option)['label']) ?? []) }];
  });

const quiet = (state: ClaudeState): Step => ({ state, events: [], send: [] });
const sending = (state: ClaudeState, line: object): Step => ({ state, events: [], send: [JSON.stringify(line)] });

const permission = (request: string, input: ClaudeFields): object => success(request, { behavior: 'allow', updatedInput: input });
const prohibition = (request: string, message: string): object => success(request, { behavior: 'deny', message });

const success = (request_id: string, response: object): object => ({
  type: 'control_response',
  response: { subtype: 'success', request_id, response },
});

const refusal = (request_id: string, error: string): object => ({
  type: 'control_response',
  response: { subtype: 'error', request_id, error },
});
