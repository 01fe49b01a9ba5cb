import type { Step } from '../executor.ts';
import { reachOf } from './policy.ts';
import { request } from './rpc.ts';
import type { State } from './state.ts';

/* What we ask of codex about the one thread of a run and its turns. */

type Opening = 'thread/start' | 'thread/resume' | 'thread/fork';

/** Opens the thread, or another one's copy. Each time it is said anew how far it may go: no rule of an earlier run holds. */
export function openThread(state: State, method: Opening, of?: string): Step {
  const { directory: cwd, model, run } = state;
  const id = `${run}.${state.sent + 1}`;
  const params = {
    ...(of === undefined ? {} : { threadId: of, excludeTurns: true }),
    cwd,
    ...(model === undefined ? {} : { model }),
    ...reachOf(state),
  };
  return {
    state: { ...state, sent: state.sent + 1, opening: { id, fresh: of === undefined } },
    events: [],
    send: [request(id, method, params)],
  };
}

/** There is no `max` among its words. */
export const effortOf = (effort: string): string => (effort === 'max' ? 'xhigh' : effort);

interface Told {
  readonly text: string;
  /** Number of the message, where it is one. */
  readonly n?: number;
}

/** Begins a turn, or adds to the one that goes on: codex decides which in one step, so that no message falls between two turns. */
export function startTurn(state: State, { text, n }: Told): Step {
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

/** What codex says back when it shows a message to its model. */
export const clientIdOf = ({ run }: State, n: number): string => `${run}.message.${n}`;

const MOST_TURNS = 40;

/** A turn that began in this run: of the thread itself, or of a helper. */
export function begunTurn(state: State, turn: string, isOwn = true): State {
  if (state.turns.includes(turn)) return state;
  return { ...state, ...(isOwn ? { turn } : {}), turns: [...state.turns, turn].slice(-MOST_TURNS) };
}
