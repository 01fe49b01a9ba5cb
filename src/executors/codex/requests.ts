import { mayWrite } from '../../domain/agent/tools.ts';
import { isRecord } from '../agent-event.ts';
import type { AgentEvent, Step } from '../executor.ts';
import { mayRunCommand, scriptIn } from './commands.ts';
import { type CodexFields, listIn, nameIn, textIn } from './fields.ts';
import { type RequestId, refusal, reply } from './rpc.ts';
import type { CodexRequest, CodexState } from './state.ts';

/* Requests of codex: decided by the tools of the job if they are restricted, else by a person. */

const MOST_PENDING = 20;
const ALLOW = 'allow';
const PERMISSION = [ALLOW, 'deny'] as const;
const LONGEST_ID = 100;

interface Asked {
  readonly id: RequestId;
  readonly params: CodexFields;
}

type Answerer = (state: CodexState, asked: Asked) => Step;

const decision = (state: CodexState, { id }: Asked, isAllowed: boolean): Step => ({
  state,
  events: [],
  send: [reply(id, { decision: isAllowed ? 'accept' : 'decline' })],
});

const ANSWERERS: Readonly<Record<string, Answerer>> = {
  'item/commandExecution/requestApproval': (state, asked) => {
    const command = textIn(asked.params, 'command') ?? '';
    if (!state.tools) return asking(state, asked, 'command', { text: `Run \`${scriptIn(command) ?? command}\`?` });
    // Not allowed: input to a running command, and network access.
    const isPlain =
      (textIn(asked.params, 'kind') ?? 'command') === 'command' && !isRecord(asked.params['networkApprovalContext']);
    return decision(state, asked, isPlain && mayRunCommand(state.tools, command));
  },
  'item/fileChange/requestApproval': (state, asked) => {
    if (!state.tools) return asking(state, asked, 'patch', { text: textIn(asked.params, 'reason') ?? 'Change files?' });
    const isInside = state.patches.includes(nameIn(asked.params, 'itemId') ?? '');
    return decision(state, asked, mayWrite(state.tools) && isInside);
  },
  'item/permissions/requestApproval': (state, asked) =>
    state.tools
      ? { state, events: [], send: [reply(asked.id, NO_PERMISSIONS)] }
      : asking(state, asked, 'permissions', { text: textIn(asked.params, 'reason') ?? 'Grant more permissions?' }),
  'item/tool/requestUserInput': (state, asked) => asking(state, asked, 'questions', questionsIn(asked.params)),
  'mcpServer/elicitation/request': (state, { id, params }) => {
    // Fleet's own tools are always allowed; nobody can fill in forms of other servers.
    const action = textIn(params, 'serverName') === 'fleet' ? 'accept' : 'decline';
    return { state, events: [], send: [reply(id, { action, content: action === 'accept' ? {} : null, _meta: null })] };
  },
};

const NO_PERMISSIONS = { permissions: {}, scope: 'turn' };

export function reduceRequest(state: CodexState, method: string, asked: Asked): Step & { readonly unknown?: true } {
  const answerer = Object.hasOwn(ANSWERERS, method) ? ANSWERERS[method] : undefined;
  if (answerer && !state.ended) return answerer(state, asked);
  return { state, events: [], send: [refusal(asked.id, method)], ...(answerer ? {} : { unknown: true as const }) };
}

interface Question {
  readonly text: string;
  readonly options?: readonly string[];
  readonly questions?: readonly string[];
}

function asking(
  state: CodexState,
  { id }: Asked,
  kind: CodexRequest['kind'],
  { text, options = PERMISSION, questions }: Question,
): Step {
  const request = `${state.run}.${JSON.stringify(id)}`;
  const isKnown = state.pending.some((other) => other.request === request);
  if (isKnown) return { state, events: [], send: [] };
  if (state.pending.length >= MOST_PENDING || String(id).length > LONGEST_ID)
    return { state, events: [], send: [refusal(id, 'so many requests')] };
  const pending: CodexRequest = { request, id, kind, ...(questions ? { questions } : {}) };
  const event: AgentEvent = {
    type: 'asked',
    request,
    kind: kind === 'questions' ? 'question' : 'permission',
    text,
    options,
  };
  return { state: { ...state, pending: [...state.pending, pending] }, events: [event], send: [] };
}

/** Several questions of one request are asked as one, and its answer answers each of them. */
function questionsIn(params: CodexFields): Question {
  const asked = listIn(params, 'questions').filter(isRecord).slice(0, 10);
  const options = asked.length === 1 ? listIn(asked[0] ?? {}, 'options').filter(isRecord) : [];
  return {
    text: asked.map((question) => textIn(question, 'question') ?? '').join('\n'),
    options: options.map((option) => textIn(option, 'label') ?? ''),
    questions: asked.flatMap((question) => nameIn(question, 'id') ?? []),
  };
}

export function answerRequest(state: CodexState, request: string, text: string): Step | undefined {
  const pending = state.pending.find((other) => other.request === request);
  if (!pending) return undefined;
  const left = { ...state, pending: state.pending.filter((other) => other !== pending) };
  return { state: left, events: [], send: [reply(pending.id, resultOf(pending, text))] };
}

function resultOf({ kind, questions = [] }: CodexRequest, text: string): object {
  if (kind === 'questions') return { answers: Object.fromEntries(questions.map((id) => [id, { answers: [text] }])) };
  // The requested permissions are not kept, so none are granted.
  if (kind === 'permissions') return NO_PERMISSIONS;
  return { decision: text === ALLOW ? 'accept' : 'decline' };
}
