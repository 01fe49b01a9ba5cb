import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import type { Call } from '../../contract/call.ts';
import type { Caller } from '../../domain/authority.ts';

/** What everything behind the gate knows of a request. */
export interface Behind {
  Bindings: HttpBindings & {
    /** It came by the socket of the home, which no browser can reach and only its owner can open. */
    readonly isLocal?: boolean;
  };
  Variables: {
    caller: Caller;
    call: Call;
    requestId: string;
    /** How the store and the clock stood when it was let in. */
    came: { readonly revision: number | undefined; readonly at: number };
  };
}

export type Web = Hono<Behind>;
export type Asked = Context<Behind>;

/** What the gate and the surfaces behind it are given. */
export interface WebNeeds {
  readonly version: string;
  /** Tells who shows a token; throws Fault('unauthenticated') for everybody else. */
  identify(token: string): Promise<Caller>;
  /** With what the caller gives of settings for its own calls, as text by their names. */
  callAs(caller: Caller, given?: Readonly<Record<string, string>>): Call;
  /** Takes the token that a one-time code is good for. */
  redeem(code: string): Promise<Readonly<Record<string, unknown>>>;
  rules(): WebRules;
  /** Takes one of the requests that a caller may make now; throws Fault('limit') when there is none left. */
  within(caller: string): void;
  /** Another one after every commit of anybody; undefined when that cannot be told. */
  revision(): number | undefined;
  now(): number;
  /** Milliseconds on a clock that never jumps. */
  elapsed(): number;
  id(): string;
  log(event: string, fields: Record<string, unknown>): void;
  /** A request has been answered, or refused. */
  onAnswer?(answer: Answered): void;
  /** A stream of events has begun; it is over when this is closed. */
  onStream?(response: HttpBindings['outgoing']): void;
}

export interface Answered {
  readonly method: string;
  /** Where it was mounted, like `/v1/tasks/:id`; never what stood in the address. */
  readonly route: string;
  readonly status: number;
  readonly ms: number;
}

export interface WebRules {
  /** `name:port` as it may stand in a Host header, in lower case. */
  readonly hosts: ReadonlySet<string>;
  /** Whole origins, like `http://localhost:3847`. */
  readonly origins: ReadonlySet<string>;
  /** Requests of one token in a second, in the long run. */
  readonly rate: number;
}
