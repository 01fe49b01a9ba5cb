import { mcpServersOf } from '../../domain/agent/executor.ts';
import type { Job } from '../executor.ts';
import type { AcpAgent } from './acp-agent.ts';
import { ended } from './failure.ts';
import { fieldsOf, recordsIn, request, textIn } from './rpc.ts';
import { type AcpState, freshState, type SentRequest } from './state.ts';
import { type AcpStep, acpStep } from './updates.ts';

type Fields = Readonly<Record<string, unknown>>;

const PROTOCOL = 1;
/** The prompt is kept in the state of the run until it can be sent; the agent reads a longer one from a file. */
const longestPromptBytes = 32 * 1024;
const INSTRUCTIONS = 'instructions.md';
const longestSession = 400;

/** The prompt with the system prompt before it, because not all agents have a field for the latter. */
const wholePrompt = ({ systemPrompt, prompt }: Job): string => (systemPrompt ? `${systemPrompt}\n\n${prompt}` : prompt);

const isLong = (text: string): boolean => Buffer.byteLength(JSON.stringify(text)) > longestPromptBytes;

/** The file of a long prompt. */
export function promptFiles(job: Job): readonly { readonly name: string; readonly text: string }[] {
  const text = wholePrompt(job);
  return isLong(text) ? [{ name: INSTRUCTIONS, text }] : [];
}

function promptOf(job: Job): string {
  const text = wholePrompt(job);
  return isLong(text) ? `Read the file ${job.runDirectory}/${INSTRUCTIONS} to its end and do what it says.` : text;
}

/** Sends one request to the agent, with the next number of this run. */
export function sendRequest(state: AcpState, what: SentRequest['what'], method: string, params: Fields): AcpStep {
  const sent = state.sent + 1;
  const id = `${state.run}.${sent}`;
  return acpStep({ ...state, sent, waiting: [...state.waiting, { id, what }] }, [], [request(id, method, params)]);
}

export function beginConversation(job: Job): AcpStep {
  const { workDirectory, mcp, servers, resume, model, effort, tools, maxTurns, maxBudgetUsd } = job;
  const state: AcpState = {
    ...freshState(job.runId),
    opening: {
      workDirectory,
      prompt: promptOf(job),
      fork: job.fork && resume !== undefined,
      ...(mcp ? { mcp } : {}),
      ...(servers ? { servers } : {}),
      ...(resume === undefined ? {} : { resume }),
      ...(model === undefined ? {} : { model }),
      ...(effort === undefined ? {} : { effort }),
    },
    ...(tools ? { tools } : {}),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd }),
  };
  return sendRequest(state, 'initialize', 'initialize', {
    protocolVersion: PROTOCOL,
    clientInfo: { name: 'fleet', title: 'Fleet', version: '1' },
    // The agent accesses the files of the workspace by itself.
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  });
}

/** The agent has stated its capabilities: a conversation is opened or resumed. */
export function openAcpConversation(agent: AcpAgent, state: AcpState, result: Fields): AcpStep {
  const { opening } = state;
  if (!opening) return acpStep(state);
  if (result['protocolVersion'] !== PROTOCOL)
    return acpStep(
      { ...state, over: true },
      ended('refused', `${agent.name} does not speak version ${PROTOCOL} of the protocol`),
    );
  const again = opening.resume === undefined ? undefined : resumeMethod(fieldsOf(result['agentCapabilities']), opening.fork);
  if (!again) return newSession(agent, state);
  return sendRequest(state, 'again', again, { sessionId: opening.resume, ...sessionParams(agent, state) });
}

/** The method that resumes or forks. To load a conversation is to continue it, so a fork needs a method of its own. */
function resumeMethod(capabilities: Fields, fork: boolean): string | undefined {
  const session = fieldsOf(capabilities['sessionCapabilities']);
  if (fork) return session['fork'] ? 'session/fork' : undefined;
  if (session['resume']) return 'session/resume';
  return capabilities['loadSession'] === true ? 'session/load' : undefined;
}

/** Opens a new conversation, also if the old one is gone: the prompt holds everything that is needed. */
export const newSession = (agent: AcpAgent, state: AcpState): AcpStep =>
  sendRequest(state, 'session', 'session/new', sessionParams(agent, state));

function sessionParams({ mcpAtLaunch }: AcpAgent, { opening }: AcpState): Fields {
  const servers = opening && !mcpAtLaunch ? mcpServersOf(opening) : [];
  return {
    cwd: opening?.workDirectory ?? '',
    mcpServers: servers.map(([name, { command, args, env }]) => ({
      name,
      command,
      args,
      env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
    })),
  };
}

/** The conversation is open: chooses the model, then sends the prompt. */
export function openSession(agent: AcpAgent, state: AcpState, { what }: SentRequest, result: Fields): AcpStep {
  const { opening } = state;
  if (!opening) return acpStep(state);
  const session = textIn(result['sessionId']) ?? (opening.fork ? undefined : opening.resume);
  if (session === undefined || session === '' || session.length > longestSession)
    return acpStep({ ...state, over: true }, ended('errored', `${agent.name} opened a conversation without a name`));
  const now = { ...state, session };
  const first = what === 'again' ? agent.promptAfterReplay : undefined;
  const sent =
    first === undefined ? chooseModel(agent, now, result) : sendRequest(now, 'past', 'session/prompt', promptParams(now, first));
  return { ...sent, events: [{ type: 'opened', session }, ...sent.events] };
}

/** Requests model and effort one after the other, because the model may change which efforts there are. */
export function chooseModel(agent: AcpAgent, { opening, ...state }: AcpState, result: Fields): AcpStep {
  if (!opening) return acpStep(state);
  const { model, effort, ...rest } = opening;
  if (model !== undefined) {
    const now = { ...state, opening: { ...rest, ...(effort === undefined ? {} : { effort }) } };
    const choice = agent.modelAtLaunch ? undefined : (optionOf(state, result, 'model', model) ?? modelOf(state, result, model));
    return choice ? sendRequest(now, 'model', ...choice) : chooseModel(agent, now, result);
  }
  const choice = effort === undefined ? undefined : optionOf(state, result, 'thought_level', effort);
  if (choice) return sendRequest({ ...state, opening: rest }, 'effort', ...choice);
  return sendPrompt(state, opening.prompt);
}

type Choice = readonly [method: string, params: Fields];

/** The request that sets an option. Agents offer one of two methods; one that offers neither is not asked. */
function optionOf({ session }: Omit<AcpState, 'opening'>, result: Fields, category: string, value: string): Choice | undefined {
  const configId = textIn(recordsIn(result['configOptions']).find((option) => option['category'] === category)?.['id']);
  return configId === undefined ? undefined : ['session/set_config_option', { sessionId: session, configId, value }];
}

const modelOf = ({ session }: Omit<AcpState, 'opening'>, result: Fields, modelId: string): Choice | undefined =>
  result['models'] ? ['session/set_model', { sessionId: session, modelId }] : undefined;

export const sendPrompt = (state: Omit<AcpState, 'opening'>, text: string): AcpStep =>
  sendRequest(state, 'prompt', 'session/prompt', promptParams(state, plain(text)));

const promptParams = ({ session }: Omit<AcpState, 'opening'>, text: string): Fields => ({
  sessionId: session ?? '',
  prompt: [{ type: 'text', text }],
});

/** Protects a text with a leading slash, which the program would take for a command. */
const plain = (text: string): string => (/^\s*\//.test(text) ? `Please do this: ${text.trimStart()}` : text);
