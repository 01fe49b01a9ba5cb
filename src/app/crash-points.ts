import type { Runner } from '../engine/supervise/deps.ts';
import type { GitWork } from '../engine/work/deps.ts';
import type { Store } from '../store/port.ts';

/**
 * Places where the engine can be made to die or to stand still, for tests: `FLEET_CRASH_AT=start.after:2` kills it right
 * after the second start, `FLEET_STALL_AT` stops it there until somebody continues it. Every effect of the engine passes
 * through one of the wrapped verbs, so no boundary is without a point.
 */
export const CRASH_VERBS = ['commit', 'prepare', 'start', 'preventStart', 'send', 'end'] as const;

/** What the gitWork only looks at; everything else it can do is an effect, and has a point before and after it. */
const LOOKS = [
  'targetOf',
  'commitOf',
  'treeOf',
  'branchFor',
  'pathOf',
  'isSetUpIntact',
  'setupSource',
  'isContained',
  'changes',
  'isHere',
  'asidePathOf',
  'within',
  'isFree',
  'markedDirectories',
] as const;
type WorkVerb = Exclude<keyof GitWork, (typeof LOOKS)[number]>;
export const WORK_VERBS = [
  'provision',
  'showBranches',
  'recordSetup',
  'save',
  'commitWork',
  'reset',
  'remove',
  'putAside',
  'removeAside',
  'removeOrphan',
  'emptyTrash',
  'combine',
  'advance',
  'recordProvenance',
  'push',
  'dropRef',
  'dropBranch',
  'dropKeptBranch',
] as const satisfies readonly WorkVerb[];
/** Does not compile while an effect has no point. */
type Forgotten = Exclude<WorkVerb, (typeof WORK_VERBS)[number]>;
const nothingForgotten: Forgotten extends never ? true : Forgotten = true;

export type CrashVerb = (typeof CRASH_VERBS)[number] | (typeof WORK_VERBS)[number];

export interface CrashPoints {
  around<Answer>(verb: CrashVerb, effect: () => Promise<Answer>): Promise<Answer>;
}

export function crashPoints(env: Readonly<Record<string, string | undefined>>): CrashPoints {
  // As a loss of power would end it: no handler runs, nothing is flushed.
  const points = [...pointIn(env['FLEET_CRASH_AT'], 'SIGKILL'), ...pointIn(env['FLEET_STALL_AT'], 'SIGSTOP')];
  const pass = (verb: CrashVerb, moment: 'before' | 'after') => {
    for (const reached of points) reached(`${verb}.${moment}`);
  };
  return {
    around: async (verb, effect) => {
      pass(verb, 'before');
      const answer = await effect();
      pass(verb, 'after');
      return answer;
    },
  };
}

function pointIn(asked: string | undefined, signal: NodeJS.Signals): ((place: string) => void)[] {
  const [, wanted, nth] = /^([a-zA-Z]+\.(?:before|after)):(\d+)$/.exec(asked ?? '') ?? [];
  let left = Number(nth);
  const reached = (place: string) => {
    if (place !== wanted) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, signal);
  };
  return wanted === undefined ? [] : [reached];
}

export const crashingStore = (store: Store, { around }: CrashPoints): Store => ({
  limits: store.limits,
  get: (key) => store.get(key),
  scan: (query) => store.scan(query),
  count: (query) => store.count(query),
  commit: (writes, options) => around('commit', () => store.commit(writes, options)),
  watch: (signal, options) => store.watch(signal, options),
  close: () => store.close(),
});

export const crashingRunner = <R extends Runner>(runner: R, { around }: CrashPoints): R => ({
  ...runner,
  start: (runId, start) => around('start', () => runner.start(runId, start)),
  preventStart: (runId) => around('preventStart', () => runner.preventStart(runId)),
  send: (runId, at, tail) => around('send', () => runner.send(runId, at, tail)),
  end: (runId, how) => around('end', () => runner.end(runId, how)),
  trim: (runId, bytes) => around('end', () => runner.trim(runId, bytes)),
});

export function crashingGitWork(gitWork: GitWork, { around }: CrashPoints): GitWork {
  type Act = (...given: unknown[]) => Promise<unknown>;
  const wrapped = WORK_VERBS.map((verb) => {
    const act = gitWork[verb].bind(gitWork) as Act;
    return [verb, (...given: unknown[]) => around(verb, () => act(...given))] as const;
  });
  return nothingForgotten && { ...gitWork, ...Object.fromEntries(wrapped) };
}
