import { Fault } from '../domain/fault.ts';
import { RunId, TaskId } from '../domain/values.ts';

/**
 * The subject of a live stream. History topics (`task/ID`, `run/ID`, `inbox/TASK-ID`) have numbered events and can be resumed at
 * any of them; state topics (`board`, `questions`) only say that something changed, and cannot be resumed.
 */
export interface Topic {
  readonly kind: 'task' | 'run' | 'inbox' | 'board' | 'questions';
  /** Id of the task or run; empty for a state topic. */
  readonly of: string;
  readonly text: string;
}

const SUBJECTS = { task: TaskId, run: RunId, inbox: TaskId } as const;

export function parseTopic(text: string): Topic {
  if (text === 'board' || text === 'questions') return { kind: text, of: '', text };
  const slash = text.indexOf('/');
  const [kind, of] = [text.slice(0, slash), text.slice(slash + 1)];
  if ((kind === 'task' || kind === 'run' || kind === 'inbox') && SUBJECTS[kind].safeParse(of).success) return { kind, of, text };
  throw new Fault('invalid', `${JSON.stringify(text.slice(0, 100))} is no topic`, {
    hint: 'topics are task/ID, run/ID and inbox/TASK-ID, with whole ids, and board and questions',
  });
}

/**
 * The position of a follower in a history topic. Of a task: the number of the newest entry. Of a run: bytes of standard output,
 * bytes of standard error, and 1 once the end was sent.
 */
export type TopicPosition = readonly number[];

export const startPosition = ({ kind }: Pick<Topic, 'kind'>): TopicPosition => (kind === 'run' ? [0, 0, 0] : [0]);

export const furthestPosition = (one: TopicPosition, other: TopicPosition): TopicPosition =>
  one.map((at, lane) => Math.max(at, other[lane] ?? 0));

/** Whether a position is at or before a known one in every stream. */
export const isWithin = (place: TopicPosition, known: TopicPosition): boolean =>
  place.every((at, lane) => at <= (known[lane] ?? 0));

export const hasEnded = (place: TopicPosition): boolean => place[2] === 1;

/** The id of the event at a position: `task/ID@7`, `run/ID@120.0`, and `run/ID@120.0.end`. */
export function eventId(topic: string, place: TopicPosition): string {
  const [first = 0, second, end] = place;
  return `${topic}@${first}${second === undefined ? '' : `.${second}`}${end === 1 ? '.end' : ''}`;
}

const ID = /^(.+)@(\d{1,15})(?:\.(\d{1,15}))?(\.end)?$/;

export function parseEventId(id: string): { readonly topic: string; readonly place: TopicPosition } {
  const [, topic = '', first, second, end] = (id.length > 300 ? undefined : ID.exec(id)) ?? [];
  const isRun = topic.startsWith('run/');
  if (topic === '' || isRun !== (second !== undefined) || (end !== undefined && !isRun))
    throw new Fault('invalid', `${JSON.stringify(id.slice(0, 100))} is not the id of an event`, {
      hint: 'ids are like task/ID@7 and run/ID@120.0',
    });
  return { topic, place: isRun ? [Number(first), Number(second), end === undefined ? 0 : 1] : [Number(first)] };
}
