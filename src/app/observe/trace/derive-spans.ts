import type { JournalEntry } from '../../../domain/journal/entry.ts';
import type { Run } from '../../../domain/run/run.ts';
import type { Task } from '../../../domain/task/task.ts';
import type { Instant } from '../../../domain/values.ts';
import { landingOf } from '../count-facts.ts';
import { spanIdOf, type TraceSpan, traceIdOf } from './span.ts';

const FINAL: ReadonlySet<string> = new Set(['done', 'failed', 'canceled']);
const GOOD: ReadonlySet<string> = new Set(['succeeded', 'no_changes']);

/** From its making, or from being taken up again, until it ended. A task that is tried again after its end has another. */
export interface Life {
  readonly number: number;
  readonly from: Instant;
  /** Absent while it lives. */
  readonly end?: { readonly at: Instant; readonly state: string } | undefined;
  readonly entries: readonly JournalEntry[];
}

export function livesOf(task: Pick<Task, 'createdAt'>, journal: readonly JournalEntry[]): Life[] {
  const lives: Life[] = [];
  let from: Instant = task.createdAt;
  let entries: JournalEntry[] = [];
  for (const entry of journal) {
    const isMove = entry.to !== undefined && entry.to !== entry.from;
    // What is said about it after its end begins nothing.
    if (lives.length > 0 && entries.length === 0) {
      if (!isMove || !FINAL.has(entry.from ?? '')) continue;
      from = entry.at;
    }
    entries.push(entry);
    if (!isMove || !FINAL.has(entry.to ?? '')) continue;
    lives.push({ number: lives.length, from, end: { at: entry.at, state: entry.to ?? '' }, entries });
    entries = [];
  }
  return entries.length > 0 ? [...lives, { number: lives.length, from, entries }] : lives;
}

const lifeSpanId = (taskId: string, number: number): string =>
  number === 0 ? spanIdOf('task', taskId) : spanIdOf('task', taskId, number);

/** The span of one life that has ended, and of every landing in it. */
export function taskSpans(task: Task, life: Life): TraceSpan[] {
  if (!life.end) return [];
  const { at, state } = life.end;
  const traceId = traceIdOf(task.id);
  const spanId = lifeSpanId(task.id, life.number);
  const span: TraceSpan = {
    traceId,
    spanId,
    parentId: life.number === 0 ? undefined : lifeSpanId(task.id, 0),
    name: 'task',
    from: life.from,
    to: at,
    ok: state === 'canceled' ? undefined : state === 'done',
    why: state,
    attributes: {
      'fleet.task.id': task.id,
      'fleet.task.phase': state,
      'fleet.task.kind': task.kind,
      'fleet.task.attempts': task.attempts,
      'fleet.task.repairs': task.repairs,
      'fleet.task.life': life.number,
      'fleet.project.id': task.projectId,
      'fleet.parent.id': task.parentId,
    },
  };
  return [span, ...mergeSpans(task, life, spanId)];
}

function mergeSpans(task: Task, { entries, number }: Life, parentId: string): TraceSpan[] {
  const spans: TraceSpan[] = [];
  let begun: Instant | undefined;
  for (const entry of entries) {
    if (entry.to === 'merging' && entry.from !== 'merging') begun = entry.at;
    if (entry.from !== 'merging' || entry.to === undefined || entry.to === 'merging' || begun === undefined) continue;
    const result = landingOf(entry);
    const { commit, target } = entry.data ?? {};
    spans.push({
      traceId: traceIdOf(task.id),
      spanId: spanIdOf('merge', task.id, number, entry.n),
      parentId,
      name: 'merge',
      from: begun,
      to: entry.at,
      ok: result === 'canceled' ? undefined : result === 'landed',
      why: result,
      attributes: {
        'fleet.task.id': task.id,
        'fleet.merge.result': result,
        'fleet.merge.target': text(target) ?? task.work?.target,
        'fleet.merge.commit': text(commit),
      },
    });
    begun = undefined;
  }
  return spans;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The span of a run that has ended, and of its turns. */
export function runSpans(run: Run, lives: readonly Life[]): TraceSpan[] {
  if (run.phase.state !== 'ended') return [];
  const { at, outcome, exit } = run.phase;
  const life = lives.findLast(({ from }) => from <= run.createdAt)?.number ?? 0;
  const usage = run.watch?.usage;
  const span: TraceSpan = {
    traceId: traceIdOf(run.taskId),
    spanId: spanIdOf('run', run.id),
    parentId: lifeSpanId(run.taskId, life),
    name: 'run',
    from: run.createdAt,
    to: at,
    ok: outcome === 'canceled' ? undefined : GOOD.has(outcome),
    why: outcome,
    attributes: {
      'fleet.task.id': run.taskId,
      'fleet.run.id': run.id,
      'fleet.run.kind': run.kind,
      'fleet.run.attempt': run.attempt,
      'fleet.run.outcome': outcome,
      'fleet.run.exit': exit,
      'fleet.executor': run.executor,
      'fleet.model': run.model,
      'host.name': run.host,
      'fleet.run.input_tokens': usage?.inputTokens,
      'fleet.run.output_tokens': usage?.outputTokens,
      'fleet.run.cached_tokens': usage?.cachedTokens,
      'fleet.run.cost_usd': usage?.costUsd,
    },
  };
  return [span, ...turnSpans(run, at)];
}

/** An agent that never says what it spent is seen to take one turn, as long as its run. */
function turnSpans(run: Run, end: Instant): TraceSpan[] {
  if (run.kind !== 'agent' && run.kind !== 'judge') return [];
  const { count = 1, ends = [end] } = run.watch?.turns ?? {};
  const first = count - ends.length;
  return ends.flatMap((to, index) => {
    const number = first + index + 1;
    // Where the oldest turn that is remembered began is not.
    const from = index > 0 ? ends[index - 1] : number === 1 ? run.createdAt : undefined;
    if (from === undefined) return [];
    return [
      {
        traceId: traceIdOf(run.taskId),
        spanId: spanIdOf('turn', run.id, number),
        parentId: spanIdOf('run', run.id),
        name: 'turn' as const,
        from,
        to,
        attributes: { 'fleet.run.id': run.id, 'fleet.turn': number, 'fleet.turns': count },
      },
    ];
  });
}
