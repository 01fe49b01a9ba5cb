import type { FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { belowPlace } from '../platform/agent-path.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { applyFileOpsSync, placeAt } from '../platform/file-ops.ts';
import { bytesWrittenSync } from '../platform/proc.ts';
import { openSafely } from '../platform/read-safely.ts';
import { lookSync } from '../platform/read-safely-sync.ts';
import { readIdentity } from './run-facts.ts';
import { filesOf, type RunFiles, recordedSync } from './run-place.ts';

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
export async function appendMissing(run: RunFiles, { from, bytes }: Outbox): Promise<number> {
  const path = belowPlace(filesOf(run).in);
  applyFileOpsSync([{ lay: 'once', ...placeAt(path), text: '' }]);
  const opened = await openSafely(path, { write: true, alone: true });
  if ('why' in opened) throw new Error(`in of run ${run.id} is not the file that was made there: ${opened.why}`);
  const { file: handle, size } = opened;
  try {
    const end = from + bytes.length;
    if (size < from || size > end) throw new Error(`in of run ${run.id} holds ${size} bytes; expected ${from} to ${end}`);
    await expectSame(run, handle, { from, bytes: bytes.subarray(0, size - from) });
    for (let at = size; at < end; ) at += (await handle.write(bytes, at - from, end - at, at)).bytesWritten;
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
  run: RunFiles,
  { withinMs, clock = systemClock }: { readonly withinMs: number; readonly clock?: Clock },
): Promise<'closed' | 'waiting'> {
  const identity = await readIdentity(run);
  if (!identity) return 'waiting';
  const { pump } = identity;
  if (!pump) return 'closed';
  const size = lookSync(belowPlace(filesOf(run).in))?.size ?? 0;
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
async function expectSame(run: RunFiles, handle: FileHandle, { from, bytes }: Outbox): Promise<void> {
  const there = Buffer.alloc(bytes.length);
  await handle.read(there, 0, there.length, from);
  if (!there.equals(bytes)) throw new Error(`in of run ${run.id} holds other bytes after ${from} than were sent`);
}
