import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { Call, CallOptions } from '../contract/call.ts';
import { contract } from '../contract/index.ts';
import type { Operation } from '../contract/operation.ts';
import { asItIs } from '../domain/as-it-is.ts';
import type { Caller } from '../domain/authority.ts';
import { Fault, isFault } from '../domain/fault.ts';
import { LIMITS } from '../domain/limits.ts';
import { toNoSpaceFault } from '../domain/no-space.ts';
import type { Instant } from '../domain/values.ts';
import { mapTexts } from '../domain/work/report.ts';
import { keyName } from '../store/assert-writes.ts';
import type { Row, Store } from '../store/port.ts';
import { type Request, requests } from '../store/records/requests.ts';
import { assertMayCall, readsAround, readsFor } from './authorize.ts';
import { handlers } from './handlers.ts';
import { isReach, noteRefusal } from './refusals.ts';
import type { Plan, Scope } from './scope.ts';
import { assertNoSecret, callerNames, withSecret } from './token/token.ts';

/** What `call` needs from the house besides what handlers need. */
export interface CallDeps extends Omit<Scope, 'caller' | 'now' | 'reads' | 'around' | 'callerNames'> {
  readonly store: Store;
  now(): Instant;
}

type AnyHandler = (input: unknown, scope: Scope) => Promise<Plan<unknown>>;

const byName = new Map<string, Operation>(contract.map((operation) => [operation.name, operation]));

/** Role, input, idempotency and commit, once, around every handler. */
export function makeCall(surroundings: CallDeps, caller: Caller): Call {
  const { store, now, ...shared } = surroundings;
  const ground: Ground = { store, now, shared, caller };
  const call = async (name: string, rawInput: unknown, options: CallOptions = {}): Promise<unknown> => {
    const operation = byName.get(name);
    if (!operation) throw new Fault('not_found', `no operation is called ${name}`);
    if (!caller.run) return answered(operation, rawInput, options);
    return answered(operation, rawInput, options).catch(async (error: unknown) => {
      if (isReach(operation, error)) await noteRefusal(caller, { operation, error }, surroundings);
      throw error;
    });
  };
  const answered = async (operation: Operation, rawInput: unknown, options: CallOptions): Promise<unknown> => {
    const { name } = operation;
    assertMayCall(caller, operation);
    const input = checked(operation, await sayable(rawInput, operation, { caller, output: surroundings.output }));
    if (operation.kind === 'command') assertInForce(name, surroundings);
    const keyed = operation.kind === 'command' ? options.key : undefined;
    const request = keyed === undefined ? undefined : requestFor({ caller, key: keyed, name, input });
    const answer = await carriedOut(
      { handler: handlers[name as keyof typeof handlers] as AnyHandler, input, request },
      ground,
    ).catch((error: unknown) => {
      throw toNoSpaceFault(error);
    });
    const told = await withSecret(name, answer, surroundings.signer);
    return operation.exact ? told : operation.output.parse(told);
  };
  return call as Call;
}

/** What a run says in a command is stored and shown: it goes without the secrets its agent has, in whatever field it stands. */
async function sayable(
  raw: unknown,
  { kind }: Operation,
  { caller, output }: Pick<Scope, 'caller' | 'output'>,
): Promise<unknown> {
  return caller.run && kind === 'command' ? mapTexts(raw, await output.redactor(caller.run.runId)) : raw;
}

/** A command that was given what the engine does not go by would do something else than its caller means. */
function assertInForce(name: string, { settings }: CallDeps): void {
  const [first] = settings.current().notInForce ?? [];
  // Whoever changes settings is about to mend that.
  if (!first || name.startsWith('config.')) return;
  const { variable, given, inForce } = first;
  throw new Fault(
    'conflict',
    `${variable} is ${JSON.stringify(given)} for this command, but the running engine goes by ${JSON.stringify(inForce ?? null)}: only an engine is set so`,
    {
      hint: `unset ${variable}; or \`fleet config set ${first.name}=…\`; or \`fleet up --stop\` and start the engine with it`,
      setting: first.name,
    },
  );
}

interface Job {
  readonly handler: AnyHandler;
  readonly input: unknown;
  readonly request: Omit<Request, 'answer' | 'at'> | undefined;
}

interface Ground extends Pick<CallDeps, 'store' | 'now'> {
  /** What every handler is given as it is. */
  readonly shared: Omit<CallDeps, 'store' | 'now'>;
  readonly caller: Caller;
}

/** Losing a race is normal: look again, decide again, until the commit holds. */
async function carriedOut(job: Job, { store, now, shared, caller }: Ground): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    const replay = job.request && (await answeredBefore(store, job.request));
    if (replay) return assertNoSecret(replay);
    const at = now();
    const reads = onceEach(store);
    const { writes, answer } = await job.handler(job.input, {
      caller,
      reads: readsFor(caller, reads),
      around: readsAround(caller, reads),
      callerNames: () => callerNames(reads, at, shared.settings.current().values.person),
      now: at,
      ...shared,
    });
    if (writes.length === 0) return answer;
    try {
      await store.commit(job.request ? [...writes, requests.put({ ...job.request, answer, at }, 'absent')] : writes, {
        flush: true,
      });
      return answer;
    } catch (error) {
      if (!isFault(error, 'conflict')) throw error;
      if (attempt >= LIMITS.commitAttempts.value)
        throw new Fault('unavailable', `lost the race for a change ${attempt} times: try again`, {}, { cause: error });
    }
  }
}

/** Within one attempt a row is read once: fifty tasks of one project ask for it once, and all of them see the same. */
function onceEach(store: Store): Scope['reads'] {
  const rows = new Map<string, Promise<Row | undefined>>();
  return {
    limits: store.limits,
    scan: (query) => store.scan(query),
    get: (key) => {
      const name = keyName(key);
      const row = rows.get(name) ?? store.get(key);
      rows.set(name, row);
      return row;
    },
  };
}

async function answeredBefore(store: Store, request: Omit<Request, 'answer' | 'at'>): Promise<Request | undefined> {
  const seen = await requests.get(store, request.id);
  if (!seen) return undefined;
  if (seen.body.operation !== request.operation || seen.body.inputHash !== request.inputHash)
    throw new Fault(
      'invalid',
      `the idempotency key was used before for another request (${seen.body.operation} at ${seen.body.at})`,
    );
  return seen.body;
}

function requestFor({ caller, key, name, input }: { caller: Caller; key: string; name: string; input: unknown }) {
  if (key.trim() === '' || key.length > 200) throw new Fault('invalid', 'an idempotency key has 1 to 200 characters');
  // Two callers who happen to choose the same key are two requests.
  const id = hash(JSON.stringify([caller.id, caller.name, key]));
  return { id, operation: name, inputHash: hash(JSON.stringify(input)) };
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

function checked(operation: Operation, rawInput: unknown): unknown {
  const sound = asItIs(operation.input, rawInput ?? {});
  if (sound !== undefined) return sound;
  const result = operation.input.safeParse(rawInput ?? {});
  if (result.success) return result.data;
  throw new Fault('invalid', result.error.issues.map(sentence).join('; '), { issues: result.error.issues.map(issueOf) });
}

const sentence = (issue: z.core.$ZodIssue) =>
  issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
const issueOf = ({ path, message }: z.core.$ZodIssue) => ({ path: path.join('.'), message });
