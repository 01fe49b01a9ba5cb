import type { Runner } from '../engine/supervise/needs.ts';
import type { Store } from '../store/port.ts';

/**
 * Places where the engine can be made to die, for tests: `FLEET_CRASH_AT=start.after:2` kills it right after the second
 * start. Every effect of the engine passes through one of the wrapped verbs, so no boundary is without a point.
 */
export const CRASH_VERBS = ['commit', 'prepare', 'start', 'forestall', 'send', 'end'] as const;
export type CrashVerb = (typeof CRASH_VERBS)[number];

export interface CrashPoints {
  around<Answer>(verb: CrashVerb, effect: () => Promise<Answer>): Promise<Answer>;
}

export function crashPoints(asked: string | undefined, die: () => void = dieAtOnce): CrashPoints {
  const found = /^([a-z]+)\.(before|after):(\d+)$/.exec(asked ?? '');
  if (!found) return { around: (_verb, effect) => effect() };
  const [, verb, moment, nth] = found;
  const counts = new Map<string, number>();
  const pass = (name: string, when: string) => {
    const key = `${name}.${when}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (name === verb && when === moment && counts.get(key) === Number(nth)) die();
  };
  return {
    around: async (name, effect) => {
      pass(name, 'before');
      const answer = await effect();
      pass(name, 'after');
      return answer;
    },
  };
}

/** As a loss of power would end it: no handler runs, nothing is flushed. */
const dieAtOnce = (): void => void process.kill(process.pid, 'SIGKILL');

export const crashingStore = (store: Store, { around }: CrashPoints): Store => ({
  limits: store.limits,
  get: (key) => store.get(key),
  scan: (query) => store.scan(query),
  commit: (writes, options) => around('commit', () => store.commit(writes, options)),
  watch: (signal) => store.watch(signal),
  close: () => store.close(),
});

export const crashingRunner = (runner: Runner, { around }: CrashPoints): Runner => ({
  ...runner,
  start: (runId, start) => around('start', () => runner.start(runId, start)),
  forestall: (runId) => around('forestall', () => runner.forestall(runId)),
  send: (runId, at, tail) => around('send', () => runner.send(runId, at, tail)),
  end: (runId) => around('end', () => runner.end(runId)),
});
