import { setTimeout as pause } from 'node:timers/promises';
import type { TaskView } from '../../contract/shapes.ts';
import { isFault } from '../../domain/fault.ts';
import { briefOf, hasEnded } from './brief.ts';
import type { ToolContext } from './tool.ts';
import { bar, oneLine, span } from './words.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
const PROGRESS_MS = 2_000;
/** Of how many running tasks the last words are shown. */
const SPEAKERS = 3;

interface Waited {
  readonly items: readonly TaskView[];
  /** Tasks that will go on by themselves. */
  readonly open: number;
  /** Tasks that have not ended and do not go on until somebody does something. */
  readonly stuck: number;
}

/** How long it must look as if nothing could go on: a program that is being replaced is away for a moment. */
const SURE_MS = 1_000;

/** Looks until nothing more happens by itself to any of them, or the time is over, or the client has gone. */
export async function waitFor(ids: readonly string[], timeoutMs: number, asked: ToolContext): Promise<Waited> {
  const began = asked.elapsed();
  const left = () => timeoutMs - (asked.elapsed() - began);
  const tell = teller(asked, { began, timeoutMs });
  let pauseMs = FIRST_PAUSE_MS;
  let movedAt = began;
  for (;;) {
    asked.signal.throwIfAborted();
    const waited = await look(ids, asked).catch((error: unknown) => {
      // A store that is busy, or a server that starts again, comes back.
      if (!isFault(error, 'unavailable') || left() <= 0) throw error;
      return undefined;
    });
    if (waited) {
      if (waited.open > 0) movedAt = asked.elapsed();
      const isOver = waited.open === 0 && (waited.stuck === 0 || asked.elapsed() - movedAt >= SURE_MS);
      if (isOver || left() <= 0) return waited;
      await tell(waited);
    }
    await pause(Math.max(1, Math.min(pauseMs, left())), undefined, { signal: asked.signal });
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5);
  }
}

/** A draft that nobody hands over, or a task that nobody here can do: waiting for it would never end. */
async function look(ids: readonly string[], { call }: ToolContext): Promise<Waited> {
  const { items, pending, stuck } = await call('task.wait', { ids: [...ids] });
  return { items, open: pending - stuck, stuck };
}

/** Progress has to grow from one notification to the next: time counts for less than one task. */
function teller(
  asked: ToolContext,
  { began, timeoutMs }: { began: number; timeoutMs: number },
): (waited: Waited) => Promise<void> {
  const { progress } = asked;
  if (!progress) return async () => undefined;
  let toldAt = Number.NEGATIVE_INFINITY;
  let most = 0;
  let before = '';
  return async (waited) => {
    const elapsedMs = asked.elapsed() - began;
    const states = waited.items.map(({ phase }) => phase.state).join();
    if (states === before && elapsedMs - toldAt < PROGRESS_MS) return;
    toldAt = elapsedMs;
    before = states;
    const total = waited.items.length;
    const done = waited.items.map((task) => briefOf(task, asked.now())).filter(hasEnded).length;
    const reached = done + 0.99 * Math.min(1, elapsedMs / timeoutMs);
    most = Math.max(reached, most + 0.000_001);
    await progress({ progress: most, total, message: await messageOf(waited, done, elapsedMs, asked) });
  };
}

async function messageOf({ items }: Waited, done: number, elapsedMs: number, asked: ToolContext): Promise<string> {
  const open = items.map((task) => briefOf(task, asked.now())).filter((brief) => !hasEnded(brief));
  const said = await Promise.all(
    open.slice(0, SPEAKERS).map(async ({ id, title, words, state }) => {
      const last = state === 'running' ? await lastWords(id, asked) : '';
      return `${oneLine(title, 40)}: ${words}${last === '' ? '' : ` “${last}”`}`;
    }),
  );
  const more = open.length > SPEAKERS ? [`and ${open.length - SPEAKERS} more`] : [];
  return [`${bar(done, items.length)} after ${span(elapsedMs)}`, ...said, ...more].join(' · ');
}

/** Told when they can be had; waiting goes on without them. */
async function lastWords(task: string, { call }: ToolContext): Promise<string> {
  const runs = await call('run.list', { task, limit: 1 }).catch(() => undefined);
  return oneLine(runs?.items[0]?.watch?.lastWords ?? '', 80);
}
