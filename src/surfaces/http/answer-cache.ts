import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../domain/authority.ts';
import { isFault } from '../../domain/fault.ts';
import { msOf } from '../../domain/values.ts';
import { assertDoor, assertNeighbour, SAFE } from './admission.ts';
import type { Door, WebDeps } from './web.ts';

/** What an answer may say besides of rows is never older than this: the hour, what is installed. */
const MOMENT_MS = 1_000;
/** How long the others are still told the old, while one makes it anew. */
const RENEWAL_MS = 100;
const MOST = 2_000;
const LONGEST = 64 * 1024;
/** Of all of them together. */
const MOST_TEXT = 16 * 1024 * 1024;
/** Whoever sends one of these wants something of its own. */
const SPECIAL = ['fleet-as', 'fleet-settings', 'if-match', 'x-request-id', 'range'];

/** An answer as it left. */
export interface KeptAnswer {
  readonly text: string;
  readonly tag?: string | undefined;
}

/** A request that was let in, and how the store and the clock stood before. */
export interface AdmittedRequest {
  readonly incoming: IncomingMessage;
  readonly caller: Caller;
  readonly revision: number | undefined;
  readonly at: number;
  /** Where it was answered, like `/v1/tasks/:id`. */
  readonly route: string;
}

interface Kept {
  readonly head: readonly string[];
  readonly length: readonly string[];
  readonly text: string;
  readonly tag: string | undefined;
  readonly route: string;
  readonly at: number;
  /** Somebody has gone the long way to make it anew. */
  isRenewed?: true;
}

interface Client {
  readonly caller: Caller;
  readonly until: number;
  readonly answers: Map<string, Kept>;
}

type Needs = Pick<WebDeps, 'revision' | 'within' | 'rules' | 'now' | 'elapsed' | 'id' | 'onAnswer' | 'connected'>;

/**
 * Answers made of rows are given again, at the door, until somebody commits: to whoever showed the same token and asks the
 * same. Many ask often, and little changes. Whether anybody has committed is asked each time, so that nobody is told less
 * than there is, and a token that was revoked is known as such: revoking it is a commit. Whatever is not plainly in order
 * goes the long way and is refused there.
 */
export class AnswerCache {
  readonly #needs: Needs;
  readonly #clients = new Map<string, Client>();
  #revision: number | undefined;
  #count = 0;
  #text = 0;
  #looked = false;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  /** Whether it was answered. */
  answer(request: IncomingMessage, response: ServerResponse, door: Door): boolean {
    const { headers, url = '' } = request;
    const client = this.#clients.get(headers.authorization ?? '');
    const kept = request.method === 'GET' ? client?.answers.get(url) : undefined;
    if (!client || !kept) return false;
    const begun = this.#needs.elapsed();
    if (!isYoung(kept, begun) || client.until <= this.#needs.now()) return false;
    if (SPECIAL.some((name) => headers[name] !== undefined)) return false;
    if (!this.#isCurrent() || !this.#mayPass(request, client.caller, door)) return false;
    const isKnown = kept.tag !== undefined && headers['if-none-match'] === kept.tag;
    const status = isKnown ? 304 : 200;
    const head = ['x-request-id', this.#needs.id(), ...kept.head];
    if (isKnown) response.writeHead(304, head).end();
    else response.writeHead(200, head.concat(kept.length)).end(kept.text);
    this.#needs.onAnswer?.({ method: 'GET', route: kept.route, status, ms: this.#needs.elapsed() - begun });
    return true;
  }

  /** What was just said, of rows that were read since the caller was let in. */
  keep({ incoming, caller, revision, at, route }: AdmittedRequest, { text, tag }: KeptAnswer): void {
    const { headers, url = '' } = incoming;
    const { authorization } = headers;
    if (authorization === undefined || text.length > LONGEST || SPECIAL.some((name) => headers[name] !== undefined)) return;
    // A commit in between may have been seen in one row and not in another.
    if (revision === undefined || this.#needs.revision() !== revision) return;
    if (revision !== this.#revision || this.#count >= MOST || this.#text > MOST_TEXT) this.#forget(revision);
    const head = [...SAFE.flat(), 'content-type', 'application/json', ...(tag === undefined ? [] : ['etag', tag])];
    const { answers } = this.#client(authorization, caller);
    if (!answers.has(url)) this.#count += 1;
    this.#text += text.length;
    const length = ['content-length', String(Buffer.byteLength(text))];
    answers.set(url, { head, length, text, tag, route, at });
  }

  #client(authorization: string, caller: Caller): Client {
    const before = this.#clients.get(authorization);
    if (before?.caller === caller) return before;
    const client = { caller, until: caller.until === undefined ? 0 : msOf(caller.until), answers: new Map() };
    this.#clients.set(authorization, client);
    return client;
  }

  /** Asked once for each turn of the loop: whoever is served in it had asked before it began. */
  #isCurrent(): boolean {
    if (!this.#looked) {
      this.#looked = true;
      setImmediate(() => {
        this.#looked = false;
      });
      if (this.#needs.revision() !== this.#revision) this.#forget(undefined);
    }
    return this.#revision !== undefined;
  }

  #mayPass({ headers, socket }: IncomingMessage, caller: Caller, { isLocal, isForRuns }: Door): boolean {
    try {
      if (!isLocal) assertNeighbour(headers, this.#needs);
      assertDoor(caller, isForRuns);
      this.#needs.connected?.(socket, caller);
      this.#needs.within(caller.id);
      return true;
    } catch (error) {
      if (isFault(error)) return false;
      throw error;
    }
  }

  #forget(revision: number | undefined): void {
    this.#clients.clear();
    this.#count = 0;
    this.#text = 0;
    this.#revision = revision;
  }
}

/** One goes the long way when it is old; the others need not all go with it, and do not wait for ever. */
function isYoung(kept: Kept, now: number): boolean {
  const age = now - kept.at;
  if (age <= MOMENT_MS) return true;
  if (age > MOMENT_MS + RENEWAL_MS || !kept.isRenewed) {
    kept.isRenewed = true;
    return false;
  }
  return true;
}
