import { setTimeout as passed } from 'node:timers/promises';
import { isNoSpace } from '../../domain/no-space.ts';

const AGAIN_MS = 1_000;

interface Waiting {
  log(event: string, fields: Record<string, unknown>): void;
  readonly signal: AbortSignal;
}

/** Does what must be written before others find this server, as soon as the disk takes it; the engine works meanwhile. */
export async function onceThereIsRoom(write: () => Promise<unknown>, { log, signal }: Waiting): Promise<void> {
  for (let refused = false; ; refused = true)
    try {
      await write();
      return;
    } catch (error) {
      if (!isNoSpace(error)) throw error;
      if (!refused) log('http.waits_for_room', { error: String(error) });
      await passed(AGAIN_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
    }
}
