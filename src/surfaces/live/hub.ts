import { createHash } from 'node:crypto';
import type { Call } from '../../contract/call.ts';
import { type Caller, seesAll } from '../../domain/authority.ts';
import { Fault, isFault } from '../../domain/fault.ts';
import { LIMITS } from '../../domain/limits.ts';
import { parseEventId, parseTopic, startPosition, type Topic, type TopicPosition } from '../../wire/topic.ts';
import { passingBatch } from './batch.ts';
import type { LiveDeps } from './deps.ts';
import { Feed } from './feed.ts';
import { Follower } from './follower.ts';
import { NewsRouter } from './news-router.ts';
import { Pipe, type StreamEnd, type Wire } from './pipe.ts';
import { SOURCES } from './sources.ts';
import { StateFeed, StateFollower } from './state-feed.ts';

const TICK_MS = 1_000;
const BEAT_TICKS = 15;
/** A client that is told to go has this long to do so by itself. */
const PARTING_MS = 400;

/** Who is let in, and with what. */
export interface Admission {
  readonly token: string;
  readonly caller: Caller;
}

/** A topic that the caller may follow, and from where. */
export interface FollowRequest {
  readonly topic: Topic;
  readonly place: TopicPosition;
}

interface Connection extends Admission {
  readonly call: Call;
  readonly key: string;
  readonly pipe: Pipe;
  readonly topics: Map<string, () => void>;
}

/** All who follow something, and what they follow. */
export class Hub {
  readonly #needs: LiveDeps;
  readonly #stirs: NewsRouter;
  readonly #connections = new Set<Connection>();
  readonly #perToken = new Map<string, number>();
  readonly #feeds = new Map<string, Feed>();
  readonly #states = new Map<string, StateFeed>();
  readonly #closed = new AbortController();
  readonly #ticking: NodeJS.Timeout;
  #ticks = 0;
  #closing: Promise<void> | undefined;

  constructor(needs: LiveDeps) {
    this.#needs = needs;
    this.#stirs = new NewsRouter(needs, this.#closed.signal);
    this.#ticking = setInterval(() => void this.#tick(), TICK_MS).unref();
  }

  /** The topics somebody asks for, each with the right to it and the place to begin at. Throws a fault for the first that is not theirs. */
  async wishes(texts: readonly string[], after: readonly string[], call: Call): Promise<readonly FollowRequest[]> {
    if (texts.length === 0) throw new Fault('invalid', 'topic: say what is to be followed, like topic=task/ID');
    if (texts.length > LIMITS.liveTopics.value)
      throw new Fault('limit', `one stream follows at most ${LIMITS.liveTopics.value} topics`);
    const places = new Map(after.map((id) => parseEventId(id)).map(({ topic, place }) => [topic, place]));
    const topics = [...new Set(texts)].map(parseTopic);
    return Promise.all(topics.map((topic) => wishFor(topic, places.get(topic.text), call)));
  }

  /** Whether there is room for one more; to be asked before anything is promised to the client. */
  assertRoom({ token }: Pick<Admission, 'token'>): void {
    if (this.#closed.signal.aborted) throw new Fault('unavailable', 'the server is stopping: try again');
    if (this.#connections.size >= LIMITS.liveConnections.value)
      throw new Fault('limit', `${LIMITS.liveConnections.value} live streams are open: there is no room for more`);
    if ((this.#perToken.get(keyOf(token)) ?? 0) >= LIMITS.liveConnectionsPerToken.value)
      throw new Fault('limit', `${LIMITS.liveConnectionsPerToken.value} live streams are open with this token: close some`);
  }

  connect(entry: Admission, wire: Wire): Connection {
    this.assertRoom(entry);
    // It left while it was asked what it may follow: nobody would tell us once more.
    if (wire.socket.destroyed) throw new Fault('unavailable', 'the client has gone');
    const { token, caller } = entry;
    const key = keyOf(token);
    const pipe = new Pipe(wire, this.#needs.elapsed);
    const connection = { token, caller, call: this.#needs.callAs(caller), key, pipe, topics: new Map<string, () => void>() };
    this.#connections.add(connection);
    this.#perToken.set(key, (this.#perToken.get(key) ?? 0) + 1);
    wire.socket.once('close', () => this.#forget(connection));
    return connection;
  }

  /** `onOver` is called when the last topic of the connection has come to its end. */
  follow(connection: Connection, { topic, place }: FollowRequest, onOver: () => void = () => undefined): void {
    if (connection.topics.has(topic.text)) throw new Fault('conflict', `${topic.text} is followed already`);
    if (connection.topics.size >= LIMITS.liveTopics.value)
      throw new Fault('limit', `one stream follows at most ${LIMITS.liveTopics.value} topics`);
    const isState = topic.kind === 'board' || topic.kind === 'questions';
    connection.topics.set(
      topic.text,
      isState ? this.#followState(connection, topic) : this.#followHistory(connection, { topic, place }, onOver),
    );
  }

  /** Ends every stream; resolves when all of them are closed. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    this.#closed.abort();
    clearInterval(this.#ticking);
    const all = [...this.#connections];
    for (const connection of all) this.#end(connection, 'stopping');
    if (all.length > 0) await new Promise((resolve) => setTimeout(resolve, PARTING_MS));
    for (const { pipe } of all) pipe.cut();
  }

  #followState({ pipe, caller, call }: Connection, { kind, text }: Topic): () => void {
    const { elapsed } = this.#needs;
    const state = kind === 'board' ? 'board' : 'questions';
    const onIdle = () => void this.#states.delete(text);
    const feed = this.#states.get(text) ?? new StateFeed(state, this.#stirs, { elapsed, onIdle });
    this.#states.set(text, feed);
    const follower = new StateFollower(state, { pipe, elapsed, ...(seesAll(caller) ? {} : { call }) });
    feed.add(follower);
    return () => feed.remove(follower);
  }

  #followHistory(connection: Connection, { topic, place }: FollowRequest, onOver: () => void): () => void {
    const { pipe, caller, call, topics } = connection;
    const follower = new Follower(this.#feedOf(topic), place, {
      pipe,
      ...(seesAll(caller) ? {} : { mayStill: async () => void (await wishFor(topic, undefined, call)) }),
      onOver: (why) => {
        topics.delete(topic.text);
        if (why === 'failed') return this.#end(connection, 'failed');
        if (why === 'gone') pipe.send(passingBatch([{ event: 'gone', data: { topic: topic.text } }]));
        if (topics.size === 0) onOver();
      },
    });
    return () => follower.leave();
  }

  #feedOf({ kind, of, text }: Topic): Feed {
    const known = this.#feeds.get(text);
    if (known) return known;
    const source = SOURCES[kind]?.(of, this.#needs, this.#stirs);
    if (!source) throw new Fault('not_found', `nothing is told of ${text} yet`);
    const { elapsed, log } = this.#needs;
    const feed = new Feed(text, source, { elapsed, log, onIdle: () => void this.#feeds.delete(text) });
    this.#feeds.set(text, feed);
    return feed;
  }

  /** Tokens end, clients fall asleep, and proxies forget connections on which nothing is said. */
  async #tick(): Promise<void> {
    this.#ticks += 1;
    const isBeat = this.#ticks % BEAT_TICKS === 0;
    const refused = await this.#refusedTokens();
    for (const connection of this.#connections) {
      if (refused.has(connection.key)) this.#end(connection, 'unauthenticated');
      else if (connection.pipe.stalledMs() > LIMITS.liveStallMs.value) this.#end(connection, 'lagging');
      else if (isBeat) connection.pipe.beat();
    }
  }

  async #refusedTokens(): Promise<ReadonlySet<string>> {
    const tokens = new Map([...this.#connections].map(({ key, token }) => [key, token]));
    const refused = new Set<string>();
    for (const [key, token] of tokens)
      await this.#needs.identify(token).catch((error: unknown) => {
        if (isFault(error, 'unauthenticated')) refused.add(key);
      });
    return refused;
  }

  #end(connection: Connection, why: StreamEnd): void {
    const { pipe } = connection;
    if (why !== 'stopping') this.#needs.log('live.ended', { why, who: connection.caller.name });
    pipe.end(why);
    this.#forget(connection);
    if (why === 'lagging') pipe.cut();
    else setTimeout(() => pipe.cut(), PARTING_MS).unref();
  }

  #forget(connection: Connection): void {
    if (!this.#connections.delete(connection)) return;
    const left = (this.#perToken.get(connection.key) ?? 1) - 1;
    if (left === 0) this.#perToken.delete(connection.key);
    else this.#perToken.set(connection.key, left);
    for (const leave of connection.topics.values()) leave();
    connection.topics.clear();
  }
}

const keyOf = (token: string): string => createHash('sha256').update(token).digest('base64');

/** What a topic shows is what its operation shows: whoever may not ask that does not find the topic. */
async function wishFor(topic: Topic, after: TopicPosition | undefined, call: Call): Promise<FollowRequest> {
  const place = after ?? startPosition(topic);
  if (topic.kind === 'task') {
    const { seq } = await call('task.show', { id: topic.of });
    const [n = 0] = place;
    if (n > seq)
      throw new Fault('conflict', `${topic.text} has ${seq} events, and ${n} were asked for: begin afresh`, { n: seq });
  }
  if (topic.kind === 'run') await call('run.show', { id: topic.of });
  if (topic.kind === 'board') await call('task.list', { limit: 1 });
  if (topic.kind === 'questions') await call('question.list', { limit: 1 });
  if (topic.kind === 'inbox') {
    const { messages } = await call('task.show', { id: topic.of });
    const last = messages.at(-1)?.n ?? 0;
    const [n = 0] = place;
    if (n > last)
      throw new Fault('conflict', `${topic.text} has ${last} messages, and ${n} were asked for: begin afresh`, { n: last });
  }
  return { topic, place };
}
