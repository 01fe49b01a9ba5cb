import type { Executor } from '../../domain/agent/executor.ts';
import type { JournalNote } from '../../domain/journal/entry.ts';
import { isSameText, type Question, replyTo } from '../../domain/question/question.ts';
import { saidBy } from '../../domain/run/prompt.ts';
import type { Run, Watch } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import type { QuestionId } from '../../domain/values.ts';
import type { Write } from '../../store/port.ts';
import { isPending, questionsOf } from '../../store/queries/questions.ts';
import { changeWrites, creationWrites } from '../../store/records/journal.ts';
import { questions } from '../../store/records/questions.ts';
import { tasks } from '../../store/records/tasks.ts';
import type { SuperviseDeps } from './deps.ts';
import { type Ingested, stepped } from './ingest.ts';

/* What people and an agent say to each other while it runs: questions and answers, messages and that they were heard. */

/** What an earlier commit promised to send is there now: it need not be kept. */
export async function deliver(run: Run, watch: Watch, needs: SuperviseDeps): Promise<Watch> {
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
export async function sendReplies(
  watch: Watch,
  { task, executor }: Conversation,
  needs: SuperviseDeps,
): Promise<{ watch: Watch; sent: number[] }> {
  let now = watch;
  for (const { request, questionId } of watch.asks) {
    const question = (await questions.get(needs.store, questionId))?.body;
    const reply = question && replyTo(question);
    if (reply === undefined) continue;
    const step = executor.answer(now.state, request, reply);
    now = { ...now, asks: now.asks.filter((ask) => ask.request !== request) };
    if (step) now = stepped(now, step);
  }
  const sent: number[] = [];
  for (const message of task.messages.filter(({ state }) => state === 'waiting')) {
    // Who has said how it went takes nothing more; its next run is told.
    const step =
      executor.can.steer && now.verdict === undefined
        ? executor.say(now.state, { ...message, text: saidBy(message) })
        : undefined;
    if (!step) continue;
    now = stepped(now, step);
    sent.push(message.n);
  }
  return { watch: now, sent };
}

interface Asked {
  readonly writes: Write[];
  readonly watch: Watch;
}

/**
 * What the agent asks in its own way. A question that a run before it asked in the same words and nobody has answered is
 * taken over, so that people do not find it twice.
 */
export async function askQuestions(
  run: Run,
  watch: Watch,
  asks: Ingested['asks'],
  { store, now }: SuperviseDeps,
): Promise<Asked> {
  if (asks.length === 0) return { writes: [], watch };
  const at = now();
  const author = { by: run.id, at };
  const mine = new Set(run.watch?.asks.map(({ questionId }) => questionId));
  const open = (await questionsOf(store, run.taskId)).filter((seen) => isPending(seen) && !mine.has(seen.body.id));
  const taken = new Map<QuestionId, QuestionId>();
  const writes = asks.flatMap(({ questionId, text, options, permission }) => {
    const asker = { runId: run.id, askedBy: `${run.executor} ${run.id}`, updatedAt: at };
    const before = open.find(({ body }) => isSameText(body.text, text) && ![...taken.values()].includes(body.id));
    if (before) {
      taken.set(questionId, before.body.id);
      return changeWrites(questions, before, { ...before.body, ...asker }, { author, note: { what: 'asked again' } });
    }
    const question: Question = {
      id: questionId,
      seq: 1,
      taskId: run.taskId,
      ...asker,
      text,
      options: [...options],
      ...(permission ? { permission } : {}),
      state: 'pending',
      createdAt: at,
    };
    return creationWrites(questions, question, author, { what: 'asked' });
  });
  const renamed = watch.asks.map((ask) => ({ ...ask, questionId: taken.get(ask.questionId) ?? ask.questionId }));
  return { writes, watch: { ...watch, asks: renamed } };
}

interface Told {
  readonly heard: readonly number[];
  readonly sent: readonly number[];
  /** Something its history should say. */
  readonly note?: JournalNote | undefined;
}

export async function takeAnswers(task: Task, { heard: numbers, sent, note }: Told, needs: SuperviseDeps): Promise<Write[]> {
  if (numbers.length === 0 && sent.length === 0 && !note) return [];
  const seen = await tasks.get(needs.store, task.id);
  if (!seen) return [];
  const stateOf = (n: number, before: Task['messages'][number]['state']): typeof before =>
    numbers.includes(n) || before === 'heard' ? 'heard' : sent.includes(n) ? 'sent' : before;
  const messages = seen.body.messages.map((message) => ({ ...message, state: stateOf(message.n, message.state) }));
  const next = { ...seen.body, messages };
  if (!note) return [tasks.put(next, seen.version)];
  return changeWrites(tasks, seen, next, { author: { by: `host ${needs.hostName}`, at: needs.now() }, note });
}
