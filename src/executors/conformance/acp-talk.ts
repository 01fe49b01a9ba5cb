import type { AcpAgent } from '../acp-client/acp-agent.ts';
import { acpExecutor } from '../acp-client/acp-client.ts';
import { textIn } from '../acp-client/rpc.ts';
import type { AgentEvent, Executor, Job, Step } from '../executor.ts';
import { plainJob } from '../kit/jobs.ts';

/** An agent that follows the plain protocol. */
export const agent: AcpAgent = {
  name: 'any',
  can: { resume: true, fork: true, steer: true, ask: true, usage: true, context: true, mcp: true, tools: true },
  login: 'any login',
  modelAtLaunch: false,
  serverToolIn: ({ title }) =>
    /^([a-z]+)_([a-z_]+)$/
      .exec(textIn(title) ?? '')
      ?.slice(1)
      .reduce((all, part) => `${all}__${part}`, 'mcp'),
  launch: () => ({ command: 'any', args: [], env: {}, files: [] }),
};
export const executor = acpExecutor(agent);

/** Plays a conversation with an agent that sends these messages one after the other. */
export function talk(job: Partial<Job>, lines: readonly object[], who: Executor = executor): Talk {
  let step: Step = who.begin({ ...plainJob, ...job });
  const events = [...step.events];
  const sent = step.send.map((line) => JSON.parse(line) as Sent);
  for (const line of lines) {
    step = who.step(step.state, JSON.stringify({ jsonrpc: '2.0', ...line }));
    events.push(...step.events);
    sent.push(...step.send.map((text) => JSON.parse(text) as Sent));
  }
  return { state: step.state, events, sent, last: step };
}

interface Talk {
  readonly state: unknown;
  readonly events: readonly AgentEvent[];
  readonly sent: readonly Sent[];
  readonly last: Step;
}

interface Sent {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: { readonly outcome?: object };
  readonly error?: { readonly code: number };
}

export const able = (agentCapabilities: object) => ({ id: 'run_1.1', result: { protocolVersion: 1, agentCapabilities } });
export const opened = [able({}), { id: 'run_1.2', result: { sessionId: 's-1' } }];
export const update = (fields: object) => ({ method: 'session/update', params: { sessionId: 's-1', update: fields } });
export const word = update({ sessionUpdate: 'agent_message_chunk', content: { text: 'Well.' } });
export const done = (stopReason: string, more: object = {}) => ({ id: 'run_1.3', result: { stopReason, ...more } });
