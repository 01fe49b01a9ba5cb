import { Fault } from '../domain/fault.ts';
import { faultIn } from './problem.ts';
import { eventsIn, type RawEvent } from './sse-text.ts';
import { eventId, furthest, hasEnded, isWithin, type Place, placeIn, startOf, topicIn } from './topic.ts';

/** One event of a live stream. Those of histories have an id, with which they can be taken up again. */
export interface LiveEvent {
  readonly topic: string;
  readonly id?: string;
  /** `entry`, `line`, `end`; `at` and `reset` of state topics; `gone`. */
  readonly event: string;
  readonly data: unknown;
}

/** An answer that goes on. */
export interface LiveAnswer {
  readonly status: number;
  readonly text: AsyncIterable<string>;
}

/** Opens a stream; it knows where to, and with which credential. Ends it when the signal aborts. */
export type OpenLive = (target: string, signal: AbortSignal) => Promise<LiveAnswer>;

export interface FollowWish {
  readonly topics: readonly string[];
  /** Ids of events: each topic goes on after its own, and begins at the beginning without one. */
  readonly after?: readonly string[];
}

export interface FollowNeeds {
  readonly open: OpenLive;
  readonly signal: AbortSignal;
  /** Resolves after a while, or when the signal aborts. */
  pause(ms: number): Promise<void>;
  /** Between 0 and 1: a thousand clients do not all come back in the same moment. */
  random(): number;
}

const FIRST_MS = 100;
const LONGEST_MS = 5_000;
/** After these the same would be answered again. */
const FINAL = [400, 401, 403, 404, 409];

/**
 * Every event of the topics, each once and in order, whatever becomes of the connection or of the server meanwhile. Ends when
 * all its topics have ended. Throws the fault of a server that refuses.
 */
export async function* follow({ topics, after = [] }: FollowWish, needs: FollowNeeds): AsyncGenerator<LiveEvent> {
  const known = new Places(topics, after);
  for (let failures = 0; !needs.signal.aborted && !known.isOver(); ) {
    try {
      for await (const event of opened(known.target(), needs)) {
        failures = 0;
        if (known.isNew(event)) yield event;
      }
    } catch (error) {
      if (error instanceof Fault) throw error;
    }
    if (needs.signal.aborted || known.isOver()) return;
    const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** failures);
    failures += 1;
    await needs.pause(longest * (0.5 + needs.random() / 2));
  }
}

async function* opened(target: string, { open, signal }: FollowNeeds): AsyncGenerator<LiveEvent> {
  const { status, text } = await open(target, signal);
  if (status === 200) {
    for await (const raw of eventsIn(text)) {
      const event = eventOf(raw);
      if (event) yield event;
    }
    return;
  }
  let body = '';
  for await (const part of text) body += part;
  if (FINAL.includes(status)) throw faultIn(status, parsed(body));
}

function eventOf({ id, event, data }: RawEvent): LiveEvent | undefined {
  const said = parsed(data);
  const topic = id === undefined ? (said as { topic?: unknown } | undefined)?.topic : id.slice(0, id.lastIndexOf('@'));
  return typeof topic === 'string' ? { topic, event, data: said, ...(id === undefined ? {} : { id }) } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How far each topic is known. */
class Places {
  readonly #places: Map<string, Place>;
  readonly #over = new Set<string>();

  constructor(topics: readonly string[], after: readonly string[]) {
    this.#places = new Map(topics.map((topic) => [topic, startOf(topicIn(topic))]));
    for (const id of after) {
      const { topic, place } = placeIn(id);
      if (this.#places.has(topic)) this.#places.set(topic, place);
    }
  }

  isOver(): boolean {
    return [...this.#places].every(([topic, place]) => hasEnded(place) || this.#over.has(topic));
  }

  isNew({ topic, id, event }: LiveEvent): boolean {
    if (event === 'gone') this.#over.add(topic);
    const known = this.#places.get(topic);
    if (id === undefined || !known) return known !== undefined;
    const { place } = placeIn(id);
    if (isWithin(place, known)) return false;
    this.#places.set(topic, furthest(known, place));
    return true;
  }

  target(): string {
    const words = new URLSearchParams();
    for (const [topic, place] of this.#places) {
      if (this.#over.has(topic)) continue;
      words.append('topic', topic);
      if (place.some((at) => at > 0)) words.append('after', eventId(topic, place));
    }
    return `/v1/live?${words.toString()}`;
  }
}
