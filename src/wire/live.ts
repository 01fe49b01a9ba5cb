import { Fault } from '../domain/fault.ts';
import { faultFromProblem } from './problem.ts';
import { eventsIn, type SseEvent } from './sse-text.ts';
import {
  eventId,
  furthestPosition,
  hasEnded,
  isWithin,
  parseEventId,
  parseTopic,
  startPosition,
  type TopicPosition,
} from './topic.ts';

/** One event of a live stream. Events of history topics have an id, from which a stream can be resumed. */
export interface LiveEvent {
  readonly topic: string;
  readonly id?: string;
  /** `entry`, `line`, `end`; `at` and `reset` of state topics; `gone`. */
  readonly event: string;
  readonly data: unknown;
}

/** A streaming HTTP answer. */
export interface LiveAnswer {
  readonly status: number;
  readonly text: AsyncIterable<string>;
}

/** Opens a stream with its own address and credentials. Aborting the signal closes the stream. */
export type OpenLive = (target: string, signal: AbortSignal) => Promise<LiveAnswer>;

export interface FollowOptions {
  readonly topics: readonly string[];
  /** Event ids: each topic resumes after its own id, and starts at the beginning without one. */
  readonly after?: readonly string[];
}

export interface FollowDeps {
  readonly open: OpenLive;
  readonly signal: AbortSignal;
  /** Resolves after `ms`, or when the signal aborts. */
  pause(ms: number): Promise<void>;
  /** Between 0 and 1, so that many clients do not reconnect at the same moment. */
  random(): number;
}

const FIRST_MS = 100;
const LONGEST_MS = 5_000;
/** Statuses that a retry would only get again. */
const FINAL = [400, 401, 403, 404, 409];

/**
 * Every event of the topics, each once and in order, across lost connections and restarts of the server. Ends when all topics
 * have ended. Throws the fault of a server that refuses.
 */
export async function* follow({ topics, after = [] }: FollowOptions, needs: FollowDeps): AsyncGenerator<LiveEvent> {
  const known = new Positions(topics, after);
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

async function* opened(target: string, { open, signal }: FollowDeps): AsyncGenerator<LiveEvent> {
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
  if (FINAL.includes(status)) throw faultFromProblem(status, parsed(body));
}

function eventOf({ id, event, data }: SseEvent): LiveEvent | undefined {
  const value = parsed(data);
  const topic = id === undefined ? (value as { topic?: unknown } | undefined)?.topic : id.slice(0, id.lastIndexOf('@'));
  return typeof topic === 'string' ? { topic, event, data: value, ...(id === undefined ? {} : { id }) } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The position reached in each topic. */
class Positions {
  readonly #positions: Map<string, TopicPosition>;
  readonly #over = new Set<string>();

  constructor(topics: readonly string[], after: readonly string[]) {
    this.#positions = new Map(topics.map((topic) => [topic, startPosition(parseTopic(topic))]));
    for (const id of after) {
      const { topic, place } = parseEventId(id);
      if (this.#positions.has(topic)) this.#positions.set(topic, place);
    }
  }

  isOver(): boolean {
    return [...this.#positions].every(([topic, place]) => hasEnded(place) || this.#over.has(topic));
  }

  isNew({ topic, id, event }: LiveEvent): boolean {
    if (event === 'gone') this.#over.add(topic);
    const known = this.#positions.get(topic);
    if (id === undefined || !known) return known !== undefined;
    const { place } = parseEventId(id);
    if (isWithin(place, known)) return false;
    this.#positions.set(topic, furthestPosition(known, place));
    return true;
  }

  target(): string {
    const words = new URLSearchParams();
    for (const [topic, place] of this.#positions) {
      if (this.#over.has(topic)) continue;
      words.append('topic', topic);
      if (place.some((at) => at > 0)) words.append('after', eventId(topic, place));
    }
    return `/v1/live?${words.toString()}`;
  }
}
