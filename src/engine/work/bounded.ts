import { Fault } from '../../domain/fault.ts';
import type { GitWork } from './deps.ts';
import { reasonOf } from './trouble.ts';

/** What was told to end has this long; then nobody waits for it any more, and what comes of it is dropped. */
const GRACE_MS = 2_000;

export interface TimeBounds {
  /** Longest it may take. */
  readonly forMs: number;
  /** Ends it before its time. */
  readonly signal?: AbortSignal | undefined;
}

/** Work on a workspace that cannot go on for ever, whatever is in there. */
export async function bounded<Answer>(
  gitWork: Pick<GitWork, 'within'>,
  { forMs, signal }: TimeBounds,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  const late = () => controller.abort(new Fault('unavailable', `it took longer than ${Math.round(forMs / 1_000)} s`));
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  const timers = [setTimeout(late, forMs).unref()];
  const left = new Promise<never>((_, reject) => {
    const leave = () => void timers.push(setTimeout(() => reject(controller.signal.reason as Error), GRACE_MS).unref());
    if (controller.signal.aborted) leave();
    else controller.signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([gitWork.within(controller.signal, work), left]);
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    // Whatever it failed with then, this is why.
    const { reason } = controller.signal as { readonly reason: unknown };
    throw reasonOf(error).includes(reasonOf(reason)) ? error : reason;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
