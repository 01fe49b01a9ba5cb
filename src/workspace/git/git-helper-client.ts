import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Fault } from '../../domain/fault.ts';
import type { ProcessIdentity } from '../../platform/process-identity.ts';
import type { Checkout } from '../land/checkout.ts';
import { signalHere } from '../locks/within.ts';
import { gitHelperUrl } from './git-helper-url.ts';
import { type GitCall, type GitEnded, spawnGit } from './spawn-git.ts';

export interface GitAsked {
  readonly n: number;
  readonly call: GitCall;
}

/** The call of that number is to be ended. */
export interface GitStopped {
  readonly stop: number;
}

/** A checkout whose index its asker locks, until it says that it has let go. */
export interface Guarded {
  readonly guard: number;
  readonly move?: GuardedMove;
}

/** A checkout that is being moved, and who moves it: whoever is told of it may begin to live when that one is dead already. */
export interface GuardedMove {
  readonly checkout: Checkout;
  readonly holder: ProcessIdentity;
}

export type Answer = { readonly n: number } & ({ readonly ended: GitEnded } | { readonly why: string });

/** Helpers one call may outlive. */
const MOST_HELPERS = 3;

/** What only looks, or only adds objects, does the same when it is done again, also beside a git that is still at it. */
const HARMLESS: ReadonlySet<string> = new Set([
  'cat-file',
  'check-ref-format',
  'commit-tree',
  'diff-files',
  'diff-tree',
  'for-each-ref',
  'log',
  'ls-files',
  'ls-tree',
  'merge-base',
  'merge-tree',
  'rev-list',
  'rev-parse',
  'symbolic-ref',
]);

/** The first word that is no option and no value of one. */
function commandOf(args: readonly string[]): string {
  let at = 0;
  while (args[at]?.startsWith('-')) at += args[at] === '-c' || args[at] === '-C' ? 2 : 1;
  return args[at] ?? '';
}

export function isHarmless(args: readonly string[]): boolean {
  const command = commandOf(args);
  return HARMLESS.has(command) || (command === 'config' && args.some((word) => word === '--get' || word === '--list'));
}

interface Pending {
  readonly resolve: (ended: GitEnded) => void;
  readonly reject: (error: Error) => void;
}

let client: GitHelperClient | undefined;

/**
 * Starts git here, or, where there is an engine in this process, by a helper process. Whatever was begun within a signal
 * that is aborted fails, and its git is ended.
 */
export async function callGit(call: GitCall): Promise<GitEnded> {
  const signal = signalHere();
  signal?.throwIfAborted();
  // One that moves a ref takes milliseconds; ended in the middle it would leave a lock.
  const stop = call.args.includes('update-ref') ? undefined : signal;
  const ended = await (client?.ask(call, stop) ?? spawnGit(call, stop));
  if (signal?.aborted) throw endedBy(signal, call.args);
  return ended;
}

function endedBy({ reason }: AbortSignal, args: readonly string[]): Fault {
  const why = reason instanceof Error ? reason.message : String(reason);
  return new Fault('unavailable', `git ${commandOf(args)} was ended: ${why}`, {}, { cause: reason });
}

/** While an engine in this process holds the lock on the index of a checkout, its helper knows of it; what it answers ends that. */
export const guardCheckout = (move: GuardedMove): (() => void) => client?.guard(move) ?? (() => undefined);

/** From now on until it is closed, git is started by a small process: it has little to copy, and nobody waits for it. */
export function openGitHelperClient(): { readonly pid: () => number | undefined; close(): Promise<void> } {
  const own = new GitHelperClient();
  client ??= own;
  return {
    pid: () => own.pid,
    close: async () => {
      if (client === own) client = undefined;
      await own.close();
    },
  };
}

class GitHelperClient {
  readonly #pending = new Map<number, Pending>();
  readonly #guarded = new Map<number, GuardedMove>();
  #helper: ChildProcess | undefined;
  #n = 0;
  #isClosed = false;

  get pid(): number | undefined {
    return this.#helper?.pid;
  }

  /** Whoever kills the helper has not meant the call: what can be done again is, by the next helper. */
  async ask(call: GitCall, signal?: AbortSignal): Promise<GitEnded> {
    for (let helpers = 1; ; helpers += 1) {
      try {
        return await this.#askOnce(call, signal);
      } catch (error) {
        if (this.#isClosed || helpers === MOST_HELPERS || !isHarmless(call.args)) throw error;
      }
    }
  }

  #askOnce(call: GitCall, signal: AbortSignal | undefined): Promise<GitEnded> {
    const helper = this.#helper ?? this.#open();
    const n = ++this.#n;
    const stop = () => tell(helper, { stop: n });
    signal?.addEventListener('abort', stop, { once: true });
    return new Promise<GitEnded>((resolve, reject) => {
      this.#pending.set(n, { resolve, reject });
      if (this.#pending.size === 1) helper.channel?.ref();
      helper.send({ n, call } satisfies GitAsked, (error) => {
        if (error) this.#settle(n, ({ reject: refuse }) => refuse(lost(error.message)));
      });
    }).finally(() => signal?.removeEventListener('abort', stop));
  }

  guard(move: GuardedMove): () => void {
    const n = ++this.#n;
    this.#guarded.set(n, move);
    if (this.#helper) tell(this.#helper, { guard: n, move });
    else this.#open();
    return () => {
      this.#guarded.delete(n);
      if (this.#helper) tell(this.#helper, { guard: n });
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const helper = this.#helper;
    if (!helper) return;
    const gone = once(helper, 'exit');
    // Otherwise a program with nothing else to do would end here, with code 13 and without what comes after.
    helper.ref();
    if (helper.connected) helper.disconnect();
    await gone;
  }

  #open(): ChildProcess {
    const helper = fork(fileURLToPath(gitHelperUrl()), {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [],
      detached: true,
    });
    helper.on('message', (answer: Answer) =>
      this.#settle(answer.n, ({ resolve, reject }) => ('ended' in answer ? resolve(answer.ended) : reject(lost(answer.why)))),
    );
    helper.once('error', (error) => this.#gone(helper, error.message));
    helper.once('exit', (code, signal) => this.#gone(helper, signal ?? `exit ${code}`));
    helper.unref();
    helper.channel?.unref();
    this.#helper = helper;
    for (const [guard, move] of this.#guarded) tell(helper, { guard, move });
    return helper;
  }

  /** What it was doing may be done or not: whoever asked looks again, and the next one asks a new helper. */
  #gone(helper: ChildProcess, why: string): void {
    if (this.#helper === helper) this.#helper = undefined;
    for (const n of [...this.#pending.keys()]) this.#settle(n, ({ reject }) => reject(lost(why)));
  }

  #settle(n: number, settle: (pending: Pending) => void): void {
    const pending = this.#pending.get(n);
    this.#pending.delete(n);
    if (this.#pending.size === 0) this.#helper?.channel?.unref();
    if (pending) settle(pending);
  }
}

/** A helper that is gone is replaced by one that is told again. */
function tell(helper: ChildProcess, what: Guarded | GitStopped): void {
  if (helper.connected) helper.send(what, () => undefined);
}

const lost = (why: string): Fault => new Fault('unavailable', `the process that starts git is gone (${why}): try again`);
