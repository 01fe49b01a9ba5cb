import type { Executor } from '../../domain/agent/executor.ts';
import type { Run, Watch } from '../../domain/run/run.ts';
import type { Task } from '../../domain/task/task.ts';
import { instantOf, msOf } from '../../domain/values.ts';
import { runs } from '../../store/records/runs.ts';
import { budgetNote } from './blocks.ts';
import { askQuestions, deliver, sendReplies, takeAnswers } from './converse.ts';
import { isToBeWrittenDown, type ObservedRun } from './decide.ts';
import type { SuperviseDeps } from './deps.ts';
import { sinceLast } from './end-run.ts';
import { type Ingested, ingest, isConsequence, isUrgent, newWatch, type PriceOf } from './ingest.ts';
import type { SuperviseMemory } from './memory.ts';

export async function firstWatch(run: Run, task: Task, needs: SuperviseDeps): Promise<Watch> {
  const executor = await needs.executor(run.executor);
  const job = await needs.job(run, task);
  const at = needs.now();
  return newWatch(executor?.begin(job) ?? { state: null, events: [], send: [] }, at);
}

/** One run keeps the others waiting no longer than this; what it has printed beyond that is read in the next turn. */
const READ_MS = 30;
/** What nobody acts upon is written down this often. */
export const COMMIT_EVERY_MS = 250;

/** Reads new output, passes on what people said, and commits both with the offset: one truth, whatever dies next. */
export async function read(sight: ObservedRun, needs: SuperviseDeps, memory: SuperviseMemory): Promise<boolean> {
  const { run, task, look, sinceMs, silentMs } = sight;
  const executor = await needs.executor(run.body.executor);
  const before = run.body.watch;
  if (!executor || !before || !task) return false;
  const ahead = memory.ahead.get(run.body.id);
  const from = ahead?.version === run.version ? ahead.watch : before;
  const seen = await seenUntil(run.body, from, executor, { needs, final: false });
  if (seen.turnOver) needs.saveTurn(run.body, task);
  const told = await sendReplies(
    { ...seen.watch, activeMs: before.activeMs + Math.max(0, Math.round(sinceMs)) },
    { run: run.body, task, executor },
    needs,
  );
  const sent = await deliver(run.body, told.watch, needs);
  const isNews = told.sent.length > 0 || sent.asks.length !== before.asks.length || isConsequence(from, seen);
  const isRead = seen.watch.offset !== before.offset && sinceMs >= COMMIT_EVERY_MS;
  const isDue = isToBeWrittenDown(sight, needs.now(), needs.rules()) || sent.outbox.tail !== '' || before.outbox.tail !== '';
  const isBehind = look.state === 'alive' && seen.watch.offset < look.outBytes;
  // A message it cannot take yet is no reason to write, and to be woken by one's own writing.
  if (!isNews && !isRead && !isDue) {
    if (seen.watch.offset === from.offset) return false;
    memory.ahead.set(run.body.id, { version: run.version, watch: seen.watch });
    return isBehind;
  }
  sinceLast(run.body.id, needs, memory);
  memory.ahead.delete(run.body.id);
  const asked = await askQuestions(run.body, { ...sent, signAt: lastSign(sent, silentMs, needs) }, seen.asks, needs);
  const writes = [
    runs.put({ ...run.body, updatedAt: needs.now(), watch: asked.watch }, run.version),
    ...asked.writes,
    ...(await takeAnswers(task, { heard: seen.heard, sent: told.sent, note: budgetNote(task, run.body, asked.watch) }, needs)),
  ];
  await needs.store.commit(writes, { flush: seen.asks.length > 0 });
  // What was promised in this commit is written after it: a crash in between is completed by whoever comes next.
  if (sent.outbox.tail !== '') await needs.runner.send(run.body.id, sent.outbox.at, sent.outbox.tail);
  return isBehind;
}

/** Output, or whatever else showed that it lives. */
const lastSign = ({ signAt }: Watch, silentMs: number, needs: SuperviseDeps): string => {
  const at = instantOf(msOf(needs.now()) - Math.round(silentMs));
  return at > signAt ? at : signAt;
};

/** An agent that does not say which model it used has used the one it was given. */
export const priceOf =
  (run: Run, needs: Pick<SuperviseDeps, 'price'>): PriceOf =>
  (said) => {
    const model = said ?? run.model;
    return model === undefined ? undefined : needs.price(model);
  };

/** As much as there is, up to the first thing somebody waits for, and for no longer than one run may take. */
export async function seenUntil(
  run: Run,
  watch: Watch,
  executor: Executor,
  { needs, final }: { needs: SuperviseDeps; final: boolean },
): Promise<Ingested> {
  const until = needs.elapsed() + READ_MS;
  let seen: Ingested = { watch, asks: [], heard: [], turnOver: false };
  for (;;) {
    const { offset, skipping } = seen.watch;
    const lines = await needs.runner.read(run.id, { offset, skipping }, final);
    const next = ingest(seen.watch, executor, lines, {
      questionId: () => needs.question(),
      at: needs.now(),
      price: priceOf(run, needs),
    });
    seen = { ...next, turnOver: seen.turnOver || next.turnOver };
    if (!lines.more || isUrgent(watch, seen) || needs.elapsed() >= until) return seen;
  }
}
