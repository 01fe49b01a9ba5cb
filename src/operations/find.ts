import { Fault } from '../domain/fault.ts';
import type { Project } from '../domain/project/project.ts';
import type { Question } from '../domain/question/question.ts';
import type { Task } from '../domain/task/task.ts';
import { ProjectId, QuestionId, TaskId } from '../domain/values.ts';
import { endingWith } from '../store/queries/every-hit.ts';
import { canonical, projectIndex, projectNames, projects } from '../store/records/projects.ts';
import { questionIndex, questions } from '../store/records/questions.ts';
import { after, type Versioned } from '../store/records/record.ts';
import { reversed, taskIndex, tasks } from '../store/records/tasks.ts';
import type { Scope } from './scope.ts';

type Reads = Pick<Scope, 'reads'>;

const SHORTEST_TAIL = 4;

/** A task by its id, or by an end of its id that only it has. */
export async function findTask({ reads }: Reads, ref: string): Promise<Versioned<Task>> {
  const wanted = ref.toLowerCase();
  if (!TaskId.safeParse(wanted).success) return tasks.get(reads, await idByTail(reads, wanted)).then(present('task', ref));
  return tasks.get(reads, wanted).then(present('task', ref));
}

async function idByTail(reads: Scope['reads'], tail: string): Promise<string> {
  if (tail.length < SHORTEST_TAIL || !/^[0-9a-z_]+$/.test(tail))
    throw new Fault(
      'not_found',
      `no task ${JSON.stringify(tail)}: give its id or at least the last ${SHORTEST_TAIL} characters of it`,
    );
  const from = reversed(tail);
  const hits = await reads.scan({ index: taskIndex.tail, from, to: after(from), limit: 2 });
  if (hits.length > 1) throw new Fault('invalid', `more than one task ends with ${tail}: give more characters of its id`);
  return hits[0]?.key.id ?? tail;
}

/** A project by name or id; removed ones are gone for everybody but history. */
export async function findProject({ reads }: Reads, ref: string): Promise<Versioned<Project>> {
  const id = ProjectId.safeParse(ref).success ? ref : (await projectNames.get(reads, canonical(ref)))?.body.projectId;
  const seen = id === undefined ? undefined : await projects.get(reads, id);
  if (!seen || seen.body.removedAt) throw await unknownProject(reads, ref);
  return seen;
}

async function unknownProject(reads: Scope['reads'], ref: string): Promise<Fault> {
  const known = (await reads.scan({ index: projectIndex.all, limit: 10 })).map((hit) => projects.read(hit).name);
  const advice = known.length === 0 ? 'add one with `fleet project add DIR`' : `known are ${known.join(', ')}`;
  return new Fault('not_found', `no project ${JSON.stringify(ref)}: ${advice}`, { project: ref });
}

export async function findQuestion({ reads }: Reads, ref: string): Promise<Versioned<Question>> {
  const wanted = ref.toLowerCase();
  if (QuestionId.safeParse(wanted).success) return questions.get(reads, wanted).then(present('question', ref));
  const hit = wanted.length >= SHORTEST_TAIL ? await endingWith(reads, questionIndex.all, wanted) : undefined;
  if (hit === 'two') throw new Fault('invalid', `more than one question ends with ${ref}: give more characters of its id`);
  return questions.get(reads, hit?.key.id ?? wanted).then(present('question', ref));
}

const present =
  (noun: string, ref: string) =>
  <Body>(seen: Versioned<Body> | undefined): Versioned<Body> => {
    if (!seen) throw new Fault('not_found', `no ${noun} ${JSON.stringify(ref)}`, { [noun]: ref });
    return seen;
  };

/** The command was decided on an older state than the present one. */
export function stillAt(noun: string, body: { readonly id: string; readonly seq: number }, ifSeq: number | undefined): void {
  if (ifSeq !== undefined && body.seq !== ifSeq)
    throw new Fault('conflict', `${noun} ${body.id} has changed: it is at ${body.seq}, you saw ${ifSeq}`, { seq: body.seq });
}
