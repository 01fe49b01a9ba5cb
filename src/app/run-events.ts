import { setImmediate as othersTurn } from 'node:timers/promises';
import type { RunEvent } from '../contract/run-events.ts';
import type { AgentEvent, Executor, Job, Step } from '../domain/agent/executor.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Run } from '../domain/run/run.ts';
import type { RunId } from '../domain/values.ts';
import type { EventRange, RunEventPage, RunOutput } from '../operations/scope.ts';
import { type EventPager, eventPager } from './event-pager.ts';

interface EventNeeds {
  readonly read: RunOutput['read'];
  executor(name: string): Promise<Executor | undefined>;
  /** What the run was asked, as its executor was told. */
  job(run: Run, executor: Executor): Promise<Job>;
}

/** As many as a slice of the spool has at most: fewer would read the same slice again. */
const LINES = 8_192;
/** Others wait for no longer than so much text takes to be decoded. */
const TEXT_AT_ONCE = 128 * 1_024;

/** A place between two lines, and what was known there. */
interface Mark {
  readonly offset: number;
  readonly state: unknown;
  /** What had happened before the first line: it is told with that. */
  readonly early: readonly AgentEvent[];
  /** It has said itself how it went: its exit says nothing more. */
  readonly isOver: boolean;
  readonly hasFailed: boolean;
}

/**
 * Decodes the output of runs by the reducers of their executors. A reducer has to see everything from the first line on,
 * so the places where readers stopped are remembered. Whoever comes to another, or after a restart, has it decoded again.
 */
export function eventsOf(needs: EventNeeds): RunOutput['events'] {
  const marks = rememberedMarks();
  return async (run, place) => {
    const executor = await needs.executor(run.executor);
    const reducer = executor ?? UNDECODED;
    const from = marks.before(run.id, place.after) ?? markOf(executor?.begin(await needs.job(run, executor)) ?? NOTHING);
    const { mark, page } = await decoded(run, { from, place, reducer }, needs.read);
    marks.remember(run.id, mark);
    return { ...page, isText: executor === undefined || executor.prints === 'text' };
  };
}

type Reducer = Pick<Executor, 'step' | 'exit'>;

const NOTHING: Step = { state: null, events: [], send: [] };

/** The executor of the run is gone: nobody knows its lines. */
const UNDECODED: Reducer = { step: () => ({ ...NOTHING, unknown: true }), exit: () => [] };

interface Reading {
  readonly from: Mark;
  readonly place: EventRange;
  readonly reducer: Reducer;
}

async function decoded(
  run: Run,
  { from, place, reducer }: Reading,
  read: RunOutput['read'],
): Promise<{ mark: Mark; page: Omit<RunEventPage, 'isText'> }> {
  const { after } = place;
  const final = run.phase.state === 'ended';
  const shelf = eventPager(place);
  let mark = from;
  while (!shelf.isFull() && mark.offset - from.offset < LIMITS.eventReadBytes.value) {
    const { items, next } = await read(run.id, 'out', { after: mark.offset, lines: LINES, final, isEnd: true });
    if (items.length === 0) {
      const end = final ? closing(run, mark, reducer) : [];
      shelf.put(end, after);
      const ends = final ? mark.offset + 1 : mark.offset;
      return { mark, page: { ...shelf.page(), next: Math.max(after, ends), more: false, ended: final } };
    }
    mark = await readInto(shelf, { items, next }, { mark, after, reducer });
  }
  return { mark, page: { ...shelf.page(), next: Math.max(after, mark.offset), more: true, ended: false } };
}

type Lines = Awaited<ReturnType<RunOutput['read']>>;

/** Up to the end of these lines, or of the one that fills the page. */
async function readInto(
  shelf: EventPager,
  { items, next }: Lines,
  { mark, after, reducer }: { mark: Mark; after: number; reducer: Reducer },
): Promise<Mark> {
  let now = mark;
  let characters = 0;
  for (const [index, { at, text, dropped }] of items.entries()) {
    const isLast = index === items.length - 1;
    const offset = isLast ? next : at;
    const { events, ...rest } = stepped(now, text, offset, reducer);
    now = rest.mark;
    if (offset > after) shelf.put(events, after, dropped);
    // What was passed over of a long line may reach behind `at`: only the page says where the next one begins.
    if (shelf.isFull() && (isLast || dropped === undefined)) break;
    characters += text.length;
    if (characters > TEXT_AT_ONCE) {
      await othersTurn();
      characters = 0;
    }
  }
  return now;
}

function stepped(mark: Mark, text: string, offset: number, reducer: Reducer): { mark: Mark; events: RunEvent[] } {
  if (mark.hasFailed) return { mark: { ...mark, offset }, events: [{ at: offset, type: 'unknown', lines: 1 }] };
  const step = reducer.step(mark.state, text);
  const happened = [...mark.early, ...step.events];
  const next = { ...markOf(step), offset, early: [], isOver: mark.isOver || happened.some(isVerdict) };
  return {
    mark: next,
    events: [
      ...happened.map((event): RunEvent => asRunEvent(event, offset)),
      ...(step.unknown ? [{ at: offset, type: 'unknown' as const, lines: 1 }] : []),
      ...(step.failed === undefined ? [] : [{ at: offset, type: 'failed' as const, why: step.failed }]),
    ],
  };
}

const isVerdict = ({ type }: AgentEvent): boolean => type === 'ended' || type === 'limited';

const markOf = ({ state, events, failed }: Step): Mark => ({
  offset: 0,
  state,
  early: events,
  isOver: false,
  hasFailed: failed !== undefined,
});

/** What its exit says, and how Fleet calls the end. */
function closing({ phase }: Run, { offset, state, early, isOver, hasFailed }: Mark, reducer: Reducer): RunEvent[] {
  if (phase.state !== 'ended') return [];
  const at = offset + 1;
  const said = isOver || hasFailed || phase.exit === undefined ? [] : reducer.exit(state, phase.exit);
  const { outcome, detail, exit } = phase;
  return [
    ...[...early, ...said].map((event) => asRunEvent(event, at)),
    {
      at,
      type: 'outcome',
      outcome,
      time: phase.at,
      ...(detail === undefined ? {} : { detail }),
      ...(exit === undefined ? {} : { exit }),
    },
  ];
}

function asRunEvent(event: AgentEvent, at: number): RunEvent {
  if (event.type === 'asked') return { at, ...event, options: [...event.options] };
  if (event.type === 'reported') return { at, type: 'reported', report: event.report };
  return { at, ...event };
}

/** The places where readers stopped, those used last. */
export function rememberedMarks() {
  const marks = new Map<string, { readonly runId: RunId; readonly mark: Mark }>();
  const keep = (runId: RunId, mark: Mark): void => {
    const key = `${runId} ${mark.offset}`;
    marks.delete(key);
    marks.set(key, { runId, mark });
    const [oldest] = marks.keys();
    if (oldest !== undefined && marks.size > LIMITS.eventReaders.value) marks.delete(oldest);
  };
  return {
    remember: keep,
    /** The last one that is not behind this place. */
    before: (runId: RunId, after: number): Mark | undefined => {
      let best: Mark | undefined;
      for (const { runId: whose, mark } of marks.values())
        if (whose === runId && mark.offset <= after && mark.offset >= (best?.offset ?? 0)) best = mark;
      if (best) keep(runId, best);
      return best;
    },
  };
}
