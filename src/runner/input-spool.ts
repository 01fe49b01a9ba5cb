import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, systemClock } from '../platform/clock.ts';
import { PRIVATE_FILE } from '../platform/files.ts';
import { bytesWrittenSync } from '../platform/proc.ts';
import { readIdentity } from './run-facts.ts';
import { filesOf, type RunPlace, recordedSync } from './run-place.ts';

/** What an agent is to be told, counted in bytes from the first one: `bytes` begin at `from`. */
export interface Outbox {
  readonly from: number;
  readonly bytes: Uint8Array;
}

const POLL_MS = 5;

/**
 * Appends what is not yet in `in`, and answers its length. The length says what a predecessor wrote before it died, to
 * the byte, so that every byte is there once whoever writes it. One writer at a time: the holder of the lease.
 */
export async function appendMissing(run: RunPlace, { from, bytes }: Outbox): Promise<number> {
  const handle = await open(filesOf(run).in, 'a+', PRIVATE_FILE);
  try {
    const { size } = await handle.stat();
    const end = from + bytes.length;
    if (size < from || size > end) throw new Error(`in of run ${run.id} holds ${size} bytes; expected ${from} to ${end}`);
    await expectSame(run, handle, { from, bytes: bytes.subarray(0, size - from) });
    await handle.writeFile(bytes.subarray(size - from));
    return end;
  } finally {
    await handle.close();
  }
}

/**
 * Ends the agent's input once it has been handed everything in `in`. `waiting`: it has not started, or not read it all;
 * ask again. `closed`: it has no input any more.
 */
export async function endInput(
  run: RunPlace,
  { withinMs, clock = systemClock }: { readonly withinMs: number; readonly clock?: Clock },
): Promise<'closed' | 'waiting'> {
  const identity = await readIdentity(run);
  if (!identity) return 'waiting';
  const { pump } = identity;
  if (!pump) return 'closed';
  const { size } = await stat(filesOf(run).in);
  const until = clock.elapsed() + withinMs;
  for (;;) {
    if (!recordedSync(run, pump)) return 'closed';
    // A pump stopped between reading and writing would swallow the end of what was said.
    if ((bytesWrittenSync(pump.pid) ?? size) >= size) break;
    if (clock.elapsed() >= until) return 'waiting';
    await sleep(POLL_MS);
  }
  process.kill(pump.pid, 'SIGUSR1');
  return 'closed';
}

/** Nobody else writes `in`; if somebody did, going on would tell the agent nonsense. */
async function expectSame(run: RunPlace, handle: FileHandle, { from, bytes }: Outbox): Promise<void> {
  const there = Buffer.alloc(bytes.length);
  await handle.read(there, 0, there.length, from);
  if (!there.equals(bytes)) throw new Error(`in of run ${run.id} holds other bytes after ${from} than were sent`);
}
