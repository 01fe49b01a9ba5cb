import type { Operation } from '../contract/operation.ts';
import { type Caller, mayCall, seesAll } from '../domain/authority.ts';
import { Fault } from '../domain/fault.ts';
import type { Question } from '../domain/question/question.ts';
import type { Run } from '../domain/run/run.ts';
import type { Task } from '../domain/task/task.ts';
import { seesToken, type Token } from '../domain/token/token.ts';
import type { Workspace } from '../domain/work/workspace.ts';
import type { Hit, Key, Query, Row } from '../store/port.ts';
import { tokenIndex } from '../store/records/tokens.ts';
import type { Scope } from './scope.ts';

type Reads = Scope['reads'];

/** The team of something a caller makes or changes: what a caller of one team makes belongs to that team, and stays there. */
export function teamFor(caller: Caller, asked: string | undefined): string | undefined {
  if (caller.team === undefined || asked === undefined || asked === caller.team) return caller.team ?? asked;
  throw new Fault('forbidden', `${caller.name} belongs to team ${caller.team}: its tasks cannot belong to ${asked}`);
}

/** Whether the operation as such is open to the caller. */
export function assertMayCall(caller: Caller, operation: Operation): void {
  if (mayCall(caller.role, operation)) return;
  throw new Fault('forbidden', `${operation.name} needs the role ${operation.role}; ${caller.name} is ${caller.role}`);
}

/**
 * The one place where it is decided whose things a caller may see. Rows of others do not exist for it: they are not
 * found, not listed and, because every write needs a row that was read, not changed.
 */
export function readsFor(caller: Caller, reads: Reads): Reads {
  if (!seesAll(caller)) return readsBy(sightOf(caller, reads), reads);
  return caller.role === 'admin' ? reads : withoutForeignTokens(caller, reads);
}

/** Whoever sees all work does not see the keys of all: those of equals and of the owner are none of theirs. */
function withoutForeignTokens(caller: Caller, reads: Reads): Reads {
  const narrowed = readsBy(sightOf(caller, reads), reads);
  const isOfToken = ({ kind, id }: Key) => kind === 'token' || (kind === 'journal' && id.startsWith('token_'));
  return {
    limits: reads.limits,
    get: (key) => (isOfToken(key) ? narrowed.get(key) : reads.get(key)),
    scan: (query) => (query.index === tokenIndex.all ? narrowed.scan(query) : reads.scan(query)),
  };
}

/**
 * What a run may be told of besides: what its task is a part of and what it depends on, and the tasks of its project as
 * far as they are of its team, each with its report. Never more than that of them: no run, no question, no history.
 */
export function readsAround(caller: Caller, reads: Reads): Reads {
  const { run } = caller;
  if (!run) return readsFor(caller, reads);
  const sight = sightOf(caller, reads);
  const isNear = async (id: string) => {
    const [own, other] = await Promise.all([run.taskId, id].map((one) => reads.get({ kind: 'task', id: one })));
    return own !== undefined && other !== undefined && isAround(own.body as Task, other.body as Task);
  };
  return readsBy(async (row) => {
    if (await sight(row)) return true;
    if (row.key.kind === 'task') return isNear(row.key.id);
    return row.key.kind === 'report' && isNear((row.body as { taskId: string }).taskId);
  }, reads);
}

const isAround = (own: Task, other: Task): boolean =>
  other.team === own.team &&
  (other.id === own.parentId ||
    own.dependsOn.includes(other.id) ||
    (own.projectId !== undefined && own.projectId === other.projectId));

type Sight = (row: Row) => Promise<boolean>;

const readsBy = (sight: Sight, reads: Reads): Reads => ({
  limits: reads.limits,
  get: async (key) => {
    const row = await reads.get(key);
    return row && (await sight(row)) ? row : undefined;
  },
  scan: (query) => seenHits(query, reads, sight),
});

/** As many rows as were asked for, as if those of others were not there. */
async function seenHits(query: Query, reads: Reads, sight: Sight): Promise<readonly Hit[]> {
  const found: Hit[] = [];
  let { from, to } = query;
  for (;;) {
    const limit = Math.min(Math.max(query.limit, 100), reads.limits.rowsPerScan);
    const { reverse } = query;
    const hits = await reads.scan({
      index: query.index,
      limit,
      ...(reverse ? { reverse } : {}),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    });
    for (const hit of hits) {
      if (await sight(hit)) found.push(hit);
      if (found.length === query.limit) return found;
    }
    const last = hits.at(-1);
    if (!last || hits.length < limit) return found;
    if (reverse) to = last.sort;
    else from = `${last.sort} `;
  }
}

/** What kind of row says whose it is. A kind that is not named here belongs to nobody and tells nothing of anybody. */
function sightOf(caller: Caller, reads: Reads): Sight {
  const ofTask = async (id: string) => {
    const row = await reads.get({ kind: 'task', id });
    return row !== undefined && seesTask(caller, row.body as Task, reads);
  };
  const own: Readonly<Record<string, (body: unknown, key: Key) => boolean | Promise<boolean>>> = {
    task: (body) => seesTask(caller, body as Task, reads),
    run: (body) => seesRun(caller, body as Run, ofTask),
    question: (body) => {
      const { taskId, askerId } = body as Question;
      return taskId === undefined ? askerId === caller.id : ofTask(taskId);
    },
    report: (body) => ofTask((body as { taskId: string }).taskId),
    evidence: (body) => ofTask((body as { taskId: string }).taskId),
    workspace: (body) => {
      const { use } = body as Workspace;
      return use.kind !== 'free' && ofTask(use.taskId);
    },
    project: (_body, key) => caller.run === undefined || ofOwnProject(caller.run.taskId, key.id, reads),
    token: async (body) => seesToken(caller, body as Token, await isDescendant(caller, body as Token, reads)),
    // A history belongs to whatever it tells of.
    journal: async (_body, key) => {
      const entity = key.id.slice(0, key.id.lastIndexOf('/'));
      const kind = entity.slice(0, entity.indexOf('_'));
      const row = await reads.get({ kind, id: entity });
      return row !== undefined && (own[kind]?.(row.body, row.key) ?? false);
    },
  };
  return async (row) => own[row.key.kind]?.(row.body, row.key) ?? true;
}

async function seesTask(caller: Caller, task: Task, reads: Reads): Promise<boolean> {
  if (caller.team !== undefined && task.team !== caller.team) return false;
  if (caller.run) return isPartOf(task, caller.run.taskId, reads);
  if (caller.role === 'host') return false;
  return caller.role !== 'worker' || isOwn(task, caller) || isFree(task);
}

/** An assignee is an address, like a name on a letter: within a team, whoever can make a token sees all its tasks anyway. */
const isOwn = ({ assignee, creatorId, phase }: Task, { id, name }: Caller): boolean =>
  assignee === name || creatorId === id || ('holder' in phase && phase.holder.kind === 'claim' && phase.holder.callerId === id);

/** Meant for nobody in particular and waiting for somebody. */
const isFree = ({ assignee, phase }: Task): boolean => assignee === undefined && phase.state === 'queued';

/** The task itself, a part of it, or a part of a part. */
async function isPartOf(task: Task, ancestor: string, reads: Reads): Promise<boolean> {
  for (let at: Task | undefined = task; at; ) {
    if (at.id === ancestor) return true;
    at = at.parentId && ((await reads.get({ kind: 'task', id: at.parentId }))?.body as Task | undefined);
  }
  return false;
}

const seesRun = async (caller: Caller, { host, taskId }: Run, ofTask: (id: string) => Promise<boolean>): Promise<boolean> =>
  caller.role === 'host' ? host === caller.host : ofTask(taskId);

async function ofOwnProject(taskId: string, projectId: string, reads: Reads): Promise<boolean> {
  const row = await reads.get({ kind: 'task', id: taskId });
  return (row?.body as Task | undefined)?.projectId === projectId;
}

const MOST_GENERATIONS = 20;

/** Whether the token was made with the caller's own, or with one that was, and so on. */
async function isDescendant({ id }: Caller, token: Token, reads: Reads): Promise<boolean> {
  let at: Token | undefined = token;
  for (let generation = 0; at && generation < MOST_GENERATIONS; generation += 1) {
    if (at.creatorId === undefined) return false;
    if (at.creatorId === id) return true;
    at = (await reads.get({ kind: 'token', id: at.creatorId }))?.body as Token | undefined;
  }
  return false;
}
