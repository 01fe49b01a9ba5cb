import { DEFAULT_ACCOUNT } from '../domain/hold/account.ts';
import { type Hold, type HoldScope, hasRoom, withHolder } from '../domain/hold/hold.ts';
import type { Run } from '../domain/run/run.ts';
import type { Task } from '../domain/task/task.ts';
import { transition } from '../domain/task/transition.ts';
import type { Instant, RunId } from '../domain/values.ts';
import type { Store, Write } from '../store/port.ts';
import { holds } from '../store/records/holds.ts';
import { changeWrites, creationWrites } from '../store/records/journal.ts';
import type { Versioned } from '../store/records/record.ts';
import { runs } from '../store/records/runs.ts';
import { tasks } from '../store/records/tasks.ts';

export interface TaskClaim {
  readonly task: Versioned<Task>;
  readonly runId: RunId;
  readonly executor: string;
  readonly account: string;
  readonly model?: string | undefined;
  readonly effort?: Task['effort'];
  readonly scopes: readonly HoldScope[];
}

export type Occupied = Map<string, Versioned<Hold> | undefined>;

/** The scopes as they are now, read consistently: a claim is conditional on each of them. */
export async function occupied(store: Pick<Store, 'get'>, scopes: Iterable<string>): Promise<Occupied> {
  const names = [...new Set(scopes)];
  const found = await Promise.all(names.map((scope) => holds.get(store, scope)));
  return new Map(names.map((scope, index) => [scope, found[index]]));
}

/**
 * One commit that makes each task running, its run known and every limited scope occupied, or nothing at all. Claims that
 * no longer have room are left out.
 */
export function claimWrites(
  claims: readonly TaskClaim[],
  before: Occupied,
  by: { readonly host: string; readonly hostName: string; readonly at: Instant },
): Write[] {
  const now = new Map([...before].map(([scope, seen]) => [scope, seen?.body]));
  const taken = claims.filter(({ scopes, runId }) => {
    if (!scopes.every((scope) => hasRoom(now.get(scope.scope), scope))) return false;
    for (const { scope } of scopes) now.set(scope, withHolder(now.get(scope), scope, runId));
    return true;
  });
  const occupying = [...now].filter(([scope, hold]) => hold !== undefined && hold !== before.get(scope)?.body);
  return [
    ...taken.flatMap((claim) => claimed(claim, by)),
    ...occupying.map(([scope, hold]) => holds.put(hold as Hold, before.get(scope)?.version ?? 'absent')),
  ];
}

function claimed(
  { task, runId, executor, account, model, effort, scopes }: TaskClaim,
  { host, hostName, at }: Parameters<typeof claimWrites>[2],
): Write[] {
  const author = { by: `host ${hostName}`, at };
  const next = transition(task.body, { type: 'claim', at, holder: { kind: 'run', runId } });
  const run: Run = {
    id: runId,
    seq: 1,
    taskId: task.body.id,
    kind: 'agent',
    attempt: next.attempts,
    executor,
    ...(model ? { model } : {}),
    ...(effort ? { effort } : {}),
    ...(account === DEFAULT_ACCOUNT ? {} : { account }),
    host,
    holds: scopes.map(({ scope }) => scope),
    phase: { state: 'claimed', since: at },
    createdAt: at,
    updatedAt: at,
  };
  const note = { what: 'claim', from: 'queued', to: 'running', data: { run: runId, executor } };
  return [...changeWrites(tasks, task, next, { author, note }), ...creationWrites(runs, run, author, { what: 'claimed' })];
}
