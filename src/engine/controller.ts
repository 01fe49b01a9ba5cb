import { isFault } from '../domain/fault.ts';
import type { Write } from '../store/port.ts';
import { Failures } from './failures.ts';
import { type LogSubject, subjectOf } from './subject.ts';

/** Look, decide, act. `decide` is pure; `act` must be safe to repeat, and short: what takes long is a run. */
export interface Controller<Seen, Action> {
  readonly name: string;
  /** Longest rest when nothing stirs. */
  readonly everyMs: number;
  observe(): Promise<Seen>;
  decide(seen: Seen): readonly Action[];
  /** Whether it took effect. */
  act(action: Action): Promise<boolean>;
  /** Whether there may be something to do after a commit of the engine with this write. Commits of others always stir. */
  wakesOn?(write: Write): boolean;
  /** Hints from elsewhere than the store. */
  onWake?(stir: () => void): void;
  /** Ends what it has begun beside its turns and can end soon. */
  stop?(): Promise<void>;
  /** How many actions may be under way at once; each is about another entity. */
  readonly atOnce?: number;
  /** How long until something falls due by itself. */
  dueInMs?(seen: Seen): number | undefined;
}

export interface ControllerDeps {
  /** A turn begins: it sees all that has stirred until now. */
  begin(): void;
  /** Resolves when the store stirs, the time is up, or the signal aborts: whichever is first. */
  rest(ms: number, signal: AbortSignal): Promise<void>;
  log(event: string, fields: Record<string, unknown>): void;
}

/** After this many failed turns the rests no longer grow. */
const MOST_DOUBLINGS = 5;

/** Who has lost a race looks again soon, also when nothing stirs. */
const AFTER_A_RACE_MS = 20;

/** The only `while` in the engine. */
export async function keepRunning<Seen, Action>(
  controller: Controller<Seen, Action>,
  { begin, rest, log }: ControllerDeps,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  const each = new Failures();
  while (!signal.aborted) {
    let restMs = controller.everyMs;
    begin();
    try {
      const turn = await takeTurn(controller);
      failures = turn.failed.length > 0 ? failures + 1 : 0;
      const times = each.of(turn.failed.map((error, at) => ({ error, about: turn.about[at] ?? {} })));
      for (const [at, error] of turn.failed.entries())
        if (times[at] !== undefined)
          log('action.failed', { controller: controller.name, ...turn.about[at], failures: times[at], error: String(error) });
      if (turn.acted > 0) continue;
      if (turn.lost > 0) restMs = AFTER_A_RACE_MS;
      restMs = Math.max(Math.min(restMs, turn.dueInMs ?? restMs), failures > 0 ? 100 : 0);
    } catch (error) {
      failures += 1;
      restMs = 100 * 2 ** Math.min(failures, MOST_DOUBLINGS);
      if ((failures & (failures - 1)) === 0)
        log('controller.failed', { controller: controller.name, failures, error: String(error) });
    }
    await rest(restMs, signal);
  }
  await controller.stop?.();
}

export interface ControllerTurn {
  /** Actions that took effect. When some did, there may be more to do at once. */
  readonly acted: number;
  readonly dueInMs?: number | undefined;
  /** Actions that came too late: somebody else has changed what they were about. */
  readonly lost: number;
  /** Actions that failed kept no other from being carried out. */
  readonly failed: readonly unknown[];
  /** What each of those was about. */
  readonly about: readonly LogSubject[];
}

export async function takeTurn<Seen, Action>(controller: Controller<Seen, Action>): Promise<ControllerTurn> {
  const seen = await controller.observe();
  const actions = controller.decide(seen).values();
  let [acted, lost] = [0, 0];
  const failed: unknown[] = [];
  const about: LogSubject[] = [];
  const hand = async () => {
    for (const action of actions)
      try {
        if (await controller.act(action)) acted += 1;
      } catch (error) {
        // Losing a race is how two controllers agree. The next turn looks again.
        if (isFault(error, 'conflict')) lost += 1;
        else {
          failed.push(error);
          about.push(subjectOf(action));
        }
      }
  };
  await Promise.all(Array.from({ length: controller.atOnce ?? 1 }, hand));
  return { acted, lost, failed, about, dueInMs: controller.dueInMs?.(seen) };
}
