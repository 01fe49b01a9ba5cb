import type { Clock } from '../../platform/clock.ts';
import type { RunLog } from '../port.ts';

/** An empty run log that is removed at the end of the scope. */
export interface TemporaryLog extends AsyncDisposable {
  readonly log: RunLog;
}

export type MakeRunLog = (clock: Pick<Clock, 'now'>) => Promise<TemporaryLog>;

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** A clock that changes only by setting `ms`. */
export const clockAt = (ms: number) => {
  const clock = { ms, now: () => clock.ms };
  return clock;
};

export async function gathered<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
