import type { Controller } from '../controller.ts';
import { act } from './act.ts';
import { type Action, decide, type Seen } from './decide.ts';
import { newMemory } from './memory.ts';
import type { SuperviseNeeds } from './needs.ts';
import { observe } from './observe.ts';

/** Without a hint, runs are looked at this often; those that are just starting more often than that. */
const LOOK_MS = 1_000;
const STARTING_MS = 20;
const IDLE_MS = 2_000;

/** Two lists made one: the runs the store knows of this host, and what is really there. A restart is no special case. */
export function supervise(needs: SuperviseNeeds): Controller<Seen, Action> {
  const memory = newMemory();
  return {
    name: 'supervise',
    everyMs: IDLE_MS,
    observe: () => observe(needs, memory),
    decide,
    act: (action) => act(action, needs, memory),
    dueInMs: ({ sights }) => {
      if (sights.some(({ run }) => run.body.phase.state === 'claimed')) return STARTING_MS;
      return sights.length > 0 ? LOOK_MS : undefined;
    },
  };
}
