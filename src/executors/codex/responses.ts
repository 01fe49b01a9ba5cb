import { isRecord } from '../agent-event.ts';
import type { Step } from '../executor.ts';
import { failureOf } from './failures.ts';
import { type CodexFields, fieldsIn, nameIn, textIn } from './fields.ts';
import { type CodexState, unchanged } from './state.ts';
import { openThread, startTurn, withTurn } from './threads.ts';

/** Handles an answer to a request of Fleet. */
export function reduceResponse(state: CodexState, message: CodexFields): Step {
  const { id } = message;
  if (typeof id !== 'string' || !id.startsWith(`${state.run}.`)) return { ...unchanged(state), unknown: true };
  if (state.ended) return unchanged(state);
  const error = isRecord(message['error']) ? message['error'] : undefined;
  const result = fieldsIn(message, 'result');
  if (state.opening?.id === id) return error ? notOpened(state, error) : opened(state, result);
  if (error) return refused(state, id, error);
  const turn = nameIn(fieldsIn(result, 'turn'), 'id');
  if (turn === undefined) return unchanged(state);
  const unheard = state.unheard.map((message) => (message.id === id ? { ...message, turn } : message));
  return unchanged(withTurn({ ...state, unheard }, turn));
}

/** The thread is open: sends the prompt. */
function opened(state: CodexState, result: CodexFields): Step {
  const thread = nameIn(fieldsIn(result, 'thread'), 'id');
  if (thread === undefined) return failed(state, { message: 'it opened a thread and did not say which' });
  const { prompt = '', opening: _, ...rest } = state;
  const model = nameIn(result, 'model');
  const begun = startTurn({ ...rest, thread, ...(model === undefined ? {} : { model }) }, { text: prompt });
  return { ...begun, events: [{ type: 'opened', session: thread }] };
}

/** Starts a new thread if the old one is gone: the prompt holds everything that is needed. */
const notOpened = (state: CodexState, error: CodexFields): Step =>
  state.opening?.fresh === false ? openThread(state, 'thread/start') : failed(state, error);

/** Drops a refused message; without a running turn, the refusal ends the run. */
function refused(state: CodexState, id: string, error: CodexFields): Step {
  const unheard = state.unheard.filter((message) => message.id !== id);
  const isMessage = unheard.length < state.unheard.length;
  return isMessage && state.turn !== undefined ? unchanged({ ...state, unheard }) : failed(state, error);
}

const failed = (state: CodexState, error: CodexFields): Step => ({
  state: { ...state, ended: true },
  events: failureOf({ message: textIn(error, 'message') }, undefined),
  send: [],
});
