import { recordIn } from '../agent-event.ts';
import type { Step } from '../executor.ts';
import { fieldsIn } from './fields.ts';
import { NOTIFICATIONS, noticed } from './notifications.ts';
import { requested } from './requests.ts';
import { responded } from './responses.ts';
import { isState, nothing } from './state.ts';

/** Reduces one line of `codex app-server`: a response, a request or a notification. */
export function stepOf(state: unknown, line: string): Step {
  const message = recordIn(line);
  if (!message || !isState(state)) return { ...nothing(state), unknown: true };
  const { id, method } = message;
  if (typeof method !== 'string')
    return idOf(id) === undefined ? { ...nothing(state), unknown: true } : responded(state, message);
  const asked = idOf(id);
  const params = fieldsIn(message, 'params');
  if (asked !== undefined) return requested(state, method, { id: asked, params });
  if (!NOTIFICATIONS.has(method)) return { ...nothing(state), unknown: true };
  return state.ended ? nothing(state) : noticed(state, method, params);
}

const idOf = (id: unknown): string | number | undefined => (typeof id === 'string' || typeof id === 'number' ? id : undefined);
