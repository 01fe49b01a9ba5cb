import { LIMITS } from '../../domain/limits.ts';
import { type Question, withdrawnQuestion } from '../../domain/question/question.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Store, Write } from '../port.ts';
import { type Author, changeWrites } from '../records/journal.ts';
import { questionIndex, questions } from '../records/questions.ts';
import type { Versioned } from '../records/record.ts';

type Reads = Pick<Store, 'scan'>;

const LOOKED_AT = 200;

/** The newest questions about a task, newest first. */
export async function questionsOf(store: Reads, taskId: string, limit = LOOKED_AT): Promise<Versioned<Question>[]> {
  const hits = await store.scan({ index: questionIndex.task(taskId), limit, reverse: true });
  return hits.map((hit) => ({ body: questions.read(hit), version: hit.version }));
}

export const isPending = ({ body }: Versioned<Question>): boolean => body.state === 'pending';

/** Nobody needs an answer any more. */
export async function withdrawals(
  store: Reads,
  taskId: string,
  { author, why }: { author: Author; why: string },
): Promise<Write[]> {
  const open = (await questionsOf(store, taskId)).filter(isPending).slice(0, LIMITS.openQuestions.value);
  return open.flatMap((seen) =>
    changeWrites(questions, seen, withdrawnQuestion(seen.body, { ...author, why }), { author, note: { what: 'withdrawn', why } }),
  );
}

/** Messages about these questions have reached the agent. */
export const heardAnswer = (task: Task, questionId: string): Task => ({
  ...task,
  messages: task.messages.map((message) =>
    message.answers === questionId && message.state !== 'heard' ? { ...message, state: 'heard' } : message,
  ),
});
