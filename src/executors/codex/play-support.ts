import { readFileSync } from 'node:fs';
import type { AgentEvent, Job, Step } from '../executor.ts';
import { plainJob } from '../kit/jobs.ts';
import { codex } from './codex.ts';

/* Test support: plays a conversation with codex line by line. */

export const executor = codex({ command: '/opt/codex' });
export const transcripts = new URL('./transcripts/', import.meta.url);

export const linesOf = (name: string): readonly string[] =>
  readFileSync(new URL(`${name}.jsonl`, transcripts), 'utf8')
    .trimEnd()
    .split('\n');

export interface PlayedCodex {
  readonly state: unknown;
  readonly events: readonly AgentEvent[];
  readonly sent: readonly { readonly id?: unknown; readonly method?: string; readonly params?: Record<string, unknown> }[];
}

export const after = (played: PlayedCodex, { state, events, send }: Step): PlayedCodex => ({
  state,
  events: [...played.events, ...events],
  sent: [...played.sent, ...send.map((line) => JSON.parse(line))],
});

export const begun = (job: Partial<Job> = {}): PlayedCodex =>
  after({ state: null, events: [], sent: [] }, executor.begin({ ...plainJob, ...job }));

export const read = (played: PlayedCodex, lines: readonly string[]): PlayedCodex =>
  lines.reduce((now, line) => after(now, executor.step(now.state, line)), played);

export const line = (value: object): string => JSON.stringify(value);
export const eventsOf = ({ events }: PlayedCodex, type: AgentEvent['type']) => events.filter((event) => event.type === type);

export const THREAD = 'thread-1';
export const opened = line({ id: 'run_1.2', result: { thread: { id: THREAD }, model: 'm' } });
export const turnAnswer = (n: number, turn: string): string => line({ id: `run_1.${n}`, result: { turn: { id: turn } } });
export const told = (method: string, params: object): string => line({ method, params: { threadId: THREAD, ...params } });
export const turnBegan = (turn: string): string => told('turn/started', { turn: { id: turn } });
export const turnEnded = (turn: string, more: object = { status: 'completed' }): string =>
  told('turn/completed', { turn: { id: turn, ...more } });
export const item = (what: 'started' | 'completed', turn: string, fields: object): string =>
  told(`item/${what}`, { turnId: turn, item: fields });
export const says = (turn: string, text: string): string => item('completed', turn, { type: 'agentMessage', id: 'msg', text });
export const shows = (turn: string, n: number): string =>
  item('started', turn, { type: 'userMessage', id: 'u', clientId: `run_1.message.${n}` });
export const working = (job: Partial<Job> = {}): PlayedCodex =>
  read(begun(job), [opened, turnAnswer(3, 'turn-1'), turnBegan('turn-1')]);

export const say = (played: PlayedCodex, n: number): PlayedCodex => {
  const step = executor.say(played.state, { n, text: `message ${n}` });
  if (!step) throw new Error('the executor takes no message in this state');
  return after(played, step);
};
