import type { RunView } from '../../contract/run.ts';
import type { RunId } from '../../domain/values.ts';
import { hasEnded, startPosition, type Topic, type TopicPosition } from '../../wire/topic.ts';
import type { Happening } from './batch.ts';
import type { LiveDeps } from './deps.ts';
import type { FeedPage, FeedSource } from './feed.ts';
import type { NewsRouter } from './news-router.ts';

const ENTRIES = 50;
const LINES = 500;

type Needs = Pick<LiveDeps, 'owner' | 'output'>;

/** The histories that can be followed, by the kind of their topic. */
export const SOURCES: Readonly<Partial<Record<Topic['kind'], (of: string, needs: Needs, stirs: NewsRouter) => FeedSource>>> = {
  task: taskSource,
  run: runSource,
  inbox: inboxSource,
};

function taskSource(id: string, { owner }: Needs, stirs: NewsRouter): FeedSource {
  return {
    read: async ([after = 0]) => {
      const { items } = await owner('task.events', { id, after, limit: ENTRIES });
      return {
        happenings: items.map((entry) => ({ event: 'entry', data: entry, lane: 0, at: entry.n })),
        more: items.length === ENTRIES,
        over: false,
      };
    },
    listen: (stirred) => stirs.of(id, stirred),
  };
}

/** What was said to the agent of a task. A message keeps its number; whether it was heard, the history of the task tells. */
function inboxSource(id: string, { owner }: Needs, stirs: NewsRouter): FeedSource {
  return {
    read: async ([after = 0]) => {
      const { messages } = await owner('task.show', { id });
      const fresh = messages.filter(({ n }) => n > after);
      return {
        happenings: fresh.map(({ state: _heardSince, ...message }) => ({
          event: 'message',
          data: message,
          lane: 0,
          at: message.n,
        })),
        more: false,
        over: false,
      };
    },
    listen: (stirred) => stirs.of(id, stirred),
  };
}

const STREAMS = ['out', 'err'] as const;

/** Both streams by bytes, then how it ended. */
function runSource(id: string, { owner, output }: Needs, stirs: NewsRouter): FeedSource {
  // Asked again only after its row has changed: a busy agent is read many times for each change.
  let known: Promise<RunView> | undefined;
  // Where the page before ended, for the feed, which reads most and always goes on from there.
  let ends: TopicPosition = startPosition({ kind: 'run' });
  const fresh = () => {
    known = undefined;
  };
  return {
    read: async (place) => {
      if (hasEnded(place)) return { happenings: [], more: false, over: true };
      known ??= owner('run.show', { id });
      // Asked before the output is read: what is printed between the two is still to come.
      const run = await known.catch((error: unknown) => {
        fresh();
        throw error;
      });
      const page = await pageOf(run, { place, ends }, output);
      ends = page.ends;
      return page;
    },
    listen: (stirred) => {
      const deaf = stirs.of(id, () => {
        fresh();
        stirred();
      });
      const unfollow = output.follow(id as RunId, stirred);
      return () => {
        deaf();
        unfollow();
      };
    },
  };
}

interface From {
  readonly place: TopicPosition;
  readonly ends: TopicPosition;
}

async function pageOf(
  run: RunView,
  { place, ends }: From,
  output: Needs['output'],
): Promise<FeedPage & { readonly ends: TopicPosition }> {
  const final = run.phase.state === 'ended';
  const removed = run.outputRemovedAt !== undefined;
  const pages = removed
    ? []
    : await Promise.all(
        STREAMS.map((stream, lane) => {
          const after = place[lane] ?? 0;
          return output.read(run.id, stream, { after, lines: LINES, final, isEnd: after === ends[lane] });
        }),
      );
  const reached = pages.length === 0 ? place : pages.map(({ next }) => next);
  const happenings = pages.flatMap(({ items, next }, lane) =>
    items.map(({ at, ...line }, index): Happening => {
      // What was dropped after the last line belongs to it.
      const end = index === items.length - 1 ? next : at;
      return { event: 'line', data: { stream: STREAMS[lane], at: end, ...line }, lane, at: end };
    }),
  );
  if (!final || happenings.length > 0) return { happenings, more: final || isFull(pages), over: false, ends: reached };
  const { phase, outputRemovedAt } = run;
  const data = { runId: run.id, phase, ...(outputRemovedAt === undefined ? {} : { outputRemovedAt }) };
  return { happenings: [{ event: 'end', data, lane: 2, at: 1 }], more: false, over: true, ends: reached };
}

/** A page holds so many lines, or less when they are long. */
const isFull = (pages: readonly { readonly items: readonly { readonly text: string }[] }[]): boolean =>
  pages.some(({ items }) => items.length >= LINES || items.reduce((sum, { text }) => sum + text.length, 0) > 64 * 1_024);
