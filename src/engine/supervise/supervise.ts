import type { Run } from '../../domain/run/run.ts';
import { runs } from '../../store/records/runs.ts';
import { workspaces } from '../../store/records/workspaces.ts';
import type { Controller } from '../controller.ts';
import { act } from './act.ts';
import { decide, type SuperviseAction, type SuperviseView } from './decide.ts';
import type { SuperviseDeps } from './deps.ts';
import { newSuperviseMemory } from './memory.ts';
import { observe } from './observe.ts';
import { COMMIT_EVERY_MS } from './read.ts';

/** Without a hint, runs are looked at this often, or as often as their patience wants; those that are just starting more often. */
const LOOK_MS = 2_000;
const STARTING_MS = 20;
const IDLE_MS = 2_000;
const AT_ONCE = 16;

/** Two lists made one: the runs the store knows of this host, and what is really there. A restart is no special case. */
export function supervise(needs: SuperviseDeps): Controller<SuperviseView, SuperviseAction> {
  const memory = newSuperviseMemory(needs);
  return {
    name: 'supervise',
    everyMs: IDLE_MS,
    observe: () => observe(needs, memory),
    decide,
    act: (action) => act(action, needs, memory),
    atOnce: AT_ONCE,
    stop: async () => void (await Promise.all(memory.notes)),
    // A run may wait for its workspace.
    wakesOn: ({ op, key, ...write }) =>
      key.kind === workspaces.kind ||
      (key.kind === runs.kind && op === 'put' && (write as { body: Run }).body.phase.state === 'claimed'),
    onWake: (stir) => {
      needs.onPreserved(stir);
      needs.runner.onWake((runIds) => {
        for (const runId of runIds) memory.hinted.add(runId);
        stir();
      });
    },
    dueInMs: ({ sights, rules }) => {
      // One of which nothing is here yet waits for its workspace, and that stirs.
      const begins = sights.some(({ run, look }) => run.body.phase.state === 'claimed' && look.state !== 'unclaimed');
      if (begins) return STARTING_MS;
      if (memory.ahead.size > 0) return COMMIT_EVERY_MS;
      return sights.length > 0 ? Math.min(LOOK_MS, rules.stallMs / 8) : undefined;
    },
  };
}
