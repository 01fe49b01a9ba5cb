import type { Executor } from '../../domain/agent/executor.ts';
import type { Run, Watch } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { Write } from '../../store/port.ts';
import { born } from '../../store/records/journal.ts';
import { questions } from '../../store/records/questions.ts';
import { tasks } from '../../store/records/tasks.ts';
import { type Ingested, stepped } from './ingest.ts';
import type { SuperviseNeeds } from './needs.ts';

/* What people and an agent say to each other while it runs: questions and answers, messages and that they were heard. */

/** What an earlier commit promised to send is there now: it need not be kept. */
export async function delivered(run: Run, watch: Watch, needs: SuperviseNeeds): Promise<Watch> {
  const promised = run.watch?.outbox;
  if (!promised || promised.tail === '') return watch;
  await needs.runner.send(run.id, promised.at, promised.tail);
  const bytes = Buffer.byteLength(promised.tail);
  return { ...watch, outbox: { at: promised.at + bytes, tail: watch.outbox.tail.slice(promised.tail.length) } };
}

interface Conversation {
  readonly run: Run;
  readonly task: Task;
  readonly executor: Executor;
}

/** Answers to what the agent asked, and messages it can take while it runs. */
export async function passedOn(
  watch: Watch,
  { task, executor }: Conversation,
  needs: SuperviseNeeds,
): Promise<{ watch: Watch; sent: number[] }> {
  let now = watch;
  for (const { request, questionId } of watch.asks) {
    const question = (await questions.get(needs.store, questionId))?.body;
    if (!question?.answer) continue;
    const step = executor.answer(now.state, request, question.answer.text);
    now = { ...now, asks: now.asks.filter((ask) => ask.request !== request) };
    if (step) now = stepped(now, step);
  }
  const sent: number[] = [];
  for (const message of task.messages.filter(({ state }) => state === 'waiting')) {
    const step = executor.can.steer ? executor.say(now.state, message) : undefined;
    if (!step) continue;
    now = stepped(now, step);
    sent.push(message.n);
  }
  return { watch: now, sent };
}

export function asking(run: Run, { asks }: Ingested, needs: SuperviseNeeds): Write[] {
  const at = needs.now();
  return asks.flatMap(({ questionId, text, options }) =>
    born(
      questions,
      {
        id: questionId,
        seq: 1,
        taskId: run.taskId,
        runId: run.id,
        askedBy: `${run.executor} ${run.id}`,
        text,
        options: [...options],
        state: 'pending',
        createdAt: at,
        updatedAt: at,
      },
      { by: run.id, at },
      { what: 'asked' },
    ),
  );
}

export async function heard(task: Task, numbers: number[], sent: number[], needs: SuperviseNeeds): Promise<Write[]> {
  if (numbers.length === 0 && sent.length === 0) return [];
  const seen = await tasks.get(needs.store, task.id);
  if (!seen) return [];
  const stateOf = (n: number, before: 'waiting' | 'sent' | 'heard') =>
    numbers.includes(n) ? 'heard' : sent.includes(n) ? 'sent' : before;
  const messages = seen.body.messages.map((message) => ({ ...message, state: stateOf(message.n, message.state) }));
  return [tasks.put({ ...seen.body, messages }, seen.version)];
}
