import { asAgentEvent, isRecord, recordIn } from '../agent-event.ts';
import type { Executor, Job, Step } from '../executor.ts';
import { findScenario } from './find-scenario.ts';
import type { ScenarioMode } from './scenario.ts';

/** The most open requests of one run; further ones are dropped. */
const mostPending = 100;

interface State {
  readonly mode: ScenarioMode;
  readonly pending: readonly string[];
}

/** Plays the scenario in the prompt, for the demo and for tests. The program prints Fleet's events, one JSON object per line. */
export const scripted = (programs: { readonly node: string; readonly agent: string }): Executor => ({
  name: 'scripted',
  can: { resume: true, fork: true, steer: true, ask: true, usage: true, context: true, mcp: true, tools: false },

  launch: (job) => ({
    command: programs.node,
    args: [programs.agent, job.promptFile, ...options(job)],
    env: {},
    files: [],
    mode: findScenario(job.prompt).mode,
  }),

  begin: (job) => {
    const { mode } = findScenario(job.prompt);
    return {
      state: { mode, pending: [] } satisfies State,
      events: [],
      send: mode === 'twoway' ? [toLine({ type: 'start' })] : [],
    };
  },

  step: (state, line) => {
    const event = asAgentEvent(recordIn(line));
    if (!event) return { state, events: [], send: [] };
    if (event.type !== 'asked') return { state, events: [event], send: [] };
    const { mode, pending } = asState(state);
    if (pending.includes(event.request) || pending.length >= mostPending) return { state, events: [], send: [] };
    return { state: { mode, pending: [...pending, event.request] } satisfies State, events: [event], send: [] };
  },

  exit: () => [],

  say: (state, { n, text }) => sent(asState(state), { type: 'message', n, text }),

  answer: (state, request, text) => {
    const { mode, pending } = asState(state);
    if (!pending.includes(request)) return undefined;
    return sent({ mode, pending: pending.filter((other) => other !== request) }, { type: 'answer', request, text });
  },
});

const options = (job: Job): string[] => [
  '--mode',
  findScenario(job.prompt).mode,
  '--run',
  job.runId,
  '--result',
  job.resultFile,
  ...(job.resume === undefined ? [] : ['--resume', job.resume, ...(job.fork ? ['--fork'] : [])]),
  ...(job.extraArgs.length === 0 ? [] : ['--', ...job.extraArgs]),
];

const sent = (state: State, line: object): Step | undefined =>
  state.mode === 'twoway' ? { state, events: [], send: [toLine(line)] } : undefined;

const toLine = (value: object): string => JSON.stringify(value);

/** The value as a state. A state of another version becomes one without requests. */
function asState(state: unknown): State {
  if (!isRecord(state)) return { mode: 'oneway', pending: [] };
  const { mode, pending } = state;
  return {
    mode: mode === 'twoway' ? 'twoway' : 'oneway',
    pending: Array.isArray(pending) ? pending.filter((request) => typeof request === 'string') : [],
  };
}
