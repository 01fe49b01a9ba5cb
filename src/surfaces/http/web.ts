import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import type { Call } from '../../contract/call.ts';
import type { Caller } from '../../domain/authority.ts';

/** What everything behind the gate knows of a request. */
export interface WebVariables {
  Bindings: HttpBindings & {
    /** It came by the socket of the home, which no browser can reach and only its owner can open. */
    readonly isLocal?: boolean;
    /** It came by the socket that is there for runs. */
    readonly isForRuns?: boolean;
  };
  Variables: {
    caller: Caller;
    call: Call;
    requestId: string;
  };
}

export type Web = Hono<WebVariables>;
export type WebContext = Context<WebVariables>;

/** What the gate and the surfaces behind it are given. */
export interface WebDeps {
  readonly version: string;
  /** Tells who shows a token; throws Fault('unauthenticated') for everybody else. */
  identify(token: string): Promise<Caller>;
  /** With what the caller gives of settings for its own calls, as text by their names. */
  callAs(caller: Caller, given?: Readonly<Record<string, string>>): Call;
  /** Takes the token that a one-time code is good for. */
  redeem(code: string): Promise<Readonly<Record<string, unknown>>>;
  rules(): WebRules;
  /** Takes one of the requests that a caller may make now, or several; throws Fault('limit') when there are not so many left. */
  within(caller: string, calls?: number): void;
  /** Notes over which connection a caller asks; throws Fault('limit') when it has too many of them. */
  connected?(socket: Duplex, caller: Caller): void;
  /** Another one after every commit of anybody; undefined when that cannot be told. */
  revision(): number | undefined;
  now(): number;
  /** Milliseconds on a clock that never jumps. */
  elapsed(): number;
  id(): string;
  log(event: string, fields: Record<string, unknown>): void;
  /** A request has been answered, or refused. */
  onAnswer?(answer: WebAnswer): void;
  /** A stream of events has begun; it is over when this is closed. */
  onStream?(response: HttpBindings['outgoing']): void;
}

export interface WebAnswer {
  readonly method: string;
  /** Where it was mounted, like `/v1/tasks/:id`; never what stood in the address. */
  readonly route: string;
  readonly status: number;
  readonly ms: number;
}

/** By which door a request came. */
export interface Door {
  /** By a socket of the home. */
  readonly isLocal: boolean;
  /** By the one that is there for runs. */
  readonly isForRuns: boolean;
}

/** What answers some requests without the web application; says whether it has taken one. */
export type Answerer = (request: IncomingMessage, response: ServerResponse, door: Door) => boolean;

export interface WebRules {
  /** `name:port` as it may stand in a Host header, in lower case. */
  readonly hosts: ReadonlySet<string>;
  /** Whole origins, like `http://localhost:3847`. */
  readonly origins: ReadonlySet<string>;
  /** Requests of one token in a second, in the long run. */
  readonly rate: number;
  /** The same of one run. */
  readonly runRate: number;
}
