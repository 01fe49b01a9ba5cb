import { recordIn } from '../agent-event.ts';
import type { Step } from '../executor.ts';
import { fieldsIn } from './fields.ts';
import { NOTIFICATIONS, reduceNotification } from './notifications.ts';
import { reduceRequest } from './requests.ts';
import { reduceResponse } from './responses.ts';
import { isState, unchanged } from './state.ts';

/** Reduces one line of `codex app-server`: a response, a request or a notification. */
export function stepOf(state: unknown, line: string): Step {
  const message = recordIn(line);
  if (!message || !isState(state)) return { ...unchanged(state), unknown: true };
  const { id, method } = message;
  if (typeof method !== 'string')
    return idOf(id) === undefined ? { ...unchanged(state), unknown: true } : reduceResponse(state, message);
  const asked = idOf(id);
  const params = fieldsIn(message, 'params');
  if (asked !== undefined) return reduceRequest(state, method, { id: asked, params });
  if (!NOTIFICATIONS.has(method)) return { ...unchanged(state), unknown: true };
  return state.ended ? unchanged(state) : reduceNotification(state, method, params);
}

const idOf = (id: unknown): string | number | undefined => (typeof id === 'string' || typeof id === 'number' ? id : undefined);
