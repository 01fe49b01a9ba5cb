import type { Step } from '../executor.ts';
import { threadPolicy } from './policy.ts';
import { request } from './rpc.ts';
import type { CodexState } from './state.ts';

/* Requests to codex about the thread of a run and its turns. */

type Opening = 'thread/start' | 'thread/resume' | 'thread/fork';

/** Opens, resumes or forks a thread. The limits are stated each time, so those of an earlier run do not carry over. */
export function openThread(state: CodexState, method: Opening, of?: string): Step {
  const { directory: cwd, model, run } = state;
  const id = `${run}.${state.sent + 1}`;
  const params = {
    ...(of === undefined ? {} : { threadId: of, excludeTurns: true }),
    cwd,
    ...(model === undefined ? {} : { model }),
    ...threadPolicy(state),
  };
  return {
    state: { ...state, sent: state.sent + 1, opening: { id, fresh: of === undefined } },
    events: [],
    send: [request(id, method, params)],
  };
}

/** The effort as codex names it, which has no `max`. */
export const effortOf = (effort: string): string => (effort === 'max' ? 'xhigh' : effort);

interface TurnInput {
  readonly text: string;
  /** Number of the message; absent for the prompt. */
  readonly n?: number;
}

/** Starts a turn or adds to the running one. Codex decides which in one step, so no message gets lost between two turns. */
export function startTurn(state: CodexState, { text, n }: TurnInput): Step {
  const { run, thread, effort } = state;
  const id = `${run}.${state.sent + 1}`;
  const params = {
    threadId: thread,
    ...(n === undefined ? {} : { clientUserMessageId: clientIdOf(state, n) }),
    input: [{ type: 'text', text, text_elements: [] }],
    ...(effort === undefined ? {} : { effort: effortOf(effort) }),
  };
  const unheard = n === undefined ? state.unheard : [...state.unheard, { n, id }];
  return { state: { ...state, sent: state.sent + 1, unheard }, events: [], send: [request(id, 'turn/start', params)] };
}

/** The id by which codex reports that it has shown a message to its model. */
export const clientIdOf = ({ run }: CodexState, n: number): string => `${run}.message.${n}`;

const MOST_TURNS = 40;

/** Records a turn of this run, of the thread itself or of a helper. */
export function withTurn(state: CodexState, turn: string, isOwn = true): CodexState {
  if (state.turns.includes(turn)) return state;
  return { ...state, ...(isOwn ? { turn } : {}), turns: [...state.turns, turn].slice(-MOST_TURNS) };
}
