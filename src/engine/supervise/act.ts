import { basename } from 'node:path';
import type { Executor } from '../../domain/agent/executor.ts';
import { retryDelayMs } from '../../domain/run/backoff.ts';
import { outcomeOf, saidNothing } from '../../domain/run/outcome.ts';
import type { Run, Watch } from '../../domain/run/run.ts';
import type { Block, Task } from '../../domain/task/task.ts';
import { instantOf, msOf } from '../../domain/values.ts';
import type { Write } from '../../store/port.ts';
import { changed } from '../../store/records/journal.ts';
import { projects } from '../../store/records/projects.ts';
import type { Seen as Read } from '../../store/records/record.ts';
import { runs } from '../../store/records/runs.ts';
import { type Ended, type Ending, settle, settleAll } from '../settle.ts';
import { asking, delivered, heard, passedOn } from './converse.ts';
import { type Action, isToBeWrittenDown, type Sight } from './decide.ts';
import { type Ingested, ingest, isConsequence, newWatch, stepped } from './ingest.ts';
import type { Memory } from './memory.ts';
import type { Left, Look, SuperviseNeeds } from './needs.ts';

export async function act(action: Action, needs: SuperviseNeeds, memory: Memory): Promise<boolean> {
  switch (action.type) {
    case 'start':
      memory.picture.begins(action.sight.run.body.id);
      return start(action.sight, needs);
    case 'adopt':
      return adopt(action.sight, needs);
    case 'ingest':
      return read(action.sight, needs, memory);
    case 'end':
      await needs.store.commit(ending(action.sight.run, action, needs, memory), { flush: true });
      climb(action.sight.run.body, needs, memory, action.atOnce);
      return true;
    case 'ladder':
      climb(action.sight.run.body, needs, memory, action.atOnce);
      return false;
    case 'catchUp':
      return catchUp(action.sight, needs, memory);
    case 'finish':
      return finish(action.sights, needs, memory);
  }
}

/** The intent is the claim itself, already durable; arbitration in the run directory lets it begin at most once. */
async function start({ run, task }: Sight, needs: SuperviseNeeds): Promise<boolean> {
  const executor = await needs.executor(run.body.executor);
  const obstacle = !executor
    ? `no executor ${run.body.executor} on this machine`
    : task?.sandbox
      ? 'it asks for a sandbox, and there is none here: it is not started without one'
      : undefined;
  if (!executor || !task || obstacle) {
    await giveUp(run.body, obstacle ?? 'its task is gone', needs);
    return true;
  }
  const placed = await needs.place(run.body, task);
  if (placed.state === 'impossible') {
    await giveUp(run.body, placed.block.what, needs, placed.block);
    return true;
  }
  if (placed.state === 'later') return false;
  const { job, env, steps } = await needs.prepare(run.body, task);
  const launch = executor.launch(job);
  await needs.runner.start(run.body.id, {
    mode: launch.mode,
    command: launch.command,
    args: launch.args,
    directory: job.workDirectory,
    env: { ...env, ...launch.env },
    files: [...launch.files, { name: basename(job.promptFile), text: job.prompt }],
    steps,
  });
  // What waited stands in its prompt.
  const told = task.messages.filter(({ state }) => state === 'waiting').map(({ n }) => n);
  if (told.length > 0) await needs.store.commit(await heard(task, [], told, needs));
  return true;
}

/** A run that cannot be started must not be started later by anybody either. */
async function giveUp(run: Run, why: string, needs: SuperviseNeeds, block?: Block): Promise<void> {
  if (!(await needs.runner.forestall(run.id))) return;
  await settle(run.id, { outcome: block ? 'blocked' : 'refused', detail: why, retryInMs: 0, block }, needs);
}

async function adopt({ run, look, task }: Sight, needs: SuperviseNeeds): Promise<boolean> {
  if (look.state !== 'alive' || !task) return false;
  const at = needs.now();
  const watch = run.body.watch ?? (await firstWatch(run.body, task, needs));
  const next: Run = { ...run.body, updatedAt: at, phase: { state: 'running', since: at, ...look.identity }, watch };
  const note = { what: 'started', data: { agent: look.identity.agent.pid } };
  await needs.store.commit(changed(runs, run, next, { author: { by: `host ${needs.host}`, at }, note }));
  return true;
}

async function firstWatch(run: Run, task: Task, needs: SuperviseNeeds): Promise<Watch> {
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
async function read(sight: Sight, needs: SuperviseNeeds, memory: Memory): Promise<boolean> {
  const { run, task, look, sinceMs, silentMs } = sight;
  const executor = await needs.executor(run.body.executor);
  const before = run.body.watch;
  if (!executor || !before || !task) return false;
  const ahead = memory.ahead.get(run.body.id);
  const from = ahead?.version === run.version ? ahead.watch : before;
  const seen = await seenUntil(run.body, from, executor, { needs, final: false });
  const told = await passedOn(
    { ...seen.watch, activeMs: before.activeMs + Math.max(0, Math.round(sinceMs)) },
    { run: run.body, task, executor },
    needs,
  );
  const sent = await delivered(run.body, told.watch, needs);
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
  const writes = [
    runs.put({ ...run.body, updatedAt: needs.now(), watch: { ...sent, signAt: lastSign(sent, silentMs, needs) } }, run.version),
    ...asking(run.body, seen, needs),
    ...(await heard(task, [...seen.heard], told.sent, needs)),
  ];
  await needs.store.commit(writes, { flush: seen.asks.length > 0 });
  // What was promised in this commit is written after it: a crash in between is completed by whoever comes next.
  if (sent.outbox.tail !== '') await needs.runner.send(run.body.id, sent.outbox.at, sent.outbox.tail);
  return isBehind;
}

/** Output, or whatever else showed that it lives. */
const lastSign = ({ signAt }: Watch, silentMs: number, needs: SuperviseNeeds): string => {
  const at = instantOf(msOf(needs.now()) - Math.round(silentMs));
  return at > signAt ? at : signAt;
};

/** As much as there is, up to the first thing others act upon, and for no longer than one run may take. */
async function seenUntil(
  run: Run,
  watch: Watch,
  executor: Executor,
  { needs, final }: { needs: SuperviseNeeds; final: boolean },
): Promise<Ingested> {
  const until = needs.elapsed() + READ_MS;
  let seen: Ingested = { watch, asks: [], heard: [] };
  for (;;) {
    const { offset, skipping } = seen.watch;
    const lines = await needs.runner.read(run.id, { offset, skipping }, final);
    seen = ingest(seen.watch, executor, lines, { questionId: () => needs.question(), at: needs.now() });
    if (!lines.more || isConsequence(watch, seen) || needs.elapsed() >= until) return seen;
  }
}

const sinceLast = (runId: string, needs: SuperviseNeeds, { seenAt }: Memory): number => {
  const now = needs.elapsed();
  const passed = Math.max(0, Math.round(now - (seenAt.get(runId) ?? now)));
  seenAt.set(runId, now);
  return passed;
};

function ending(
  run: Read<Run>,
  { outcome, why }: Extract<Action, { type: 'end' }>,
  needs: SuperviseNeeds,
  memory: Memory,
): Write[] {
  const at = needs.now();
  const { watch } = run.body;
  const timed = watch && { ...watch, activeMs: watch.activeMs + sinceLast(run.body.id, needs, memory) };
  const next: Run = {
    ...run.body,
    ...(timed ? { watch: timed } : {}),
    updatedAt: at,
    phase: { state: 'ending', since: at, outcome, why },
  };
  return changed(runs, run, next, { author: { by: `host ${needs.host}`, at }, note: { what: 'ending', to: outcome, why } });
}

/** Ending a process tree takes as long as it takes: the turn goes on, and the exit file tells when it is over. */
function climb(run: Run, needs: SuperviseNeeds, { ladders, swept }: Memory, atOnce = false): void {
  if (ladders.has(run.id)) return;
  const climbing = needs.runner
    .end(run.id, { atOnce })
    .then(() => void swept.add(run.id))
    .catch((error: unknown) => needs.log('run.end-failed', { run: run.id, error: String(error) }))
    .finally(() => ladders.delete(run.id));
  ladders.set(run.id, climbing);
}

/** It has ended and left much to read: piece by piece, so that nobody waits for it, and none is read twice. */
async function catchUp(sight: Sight, needs: SuperviseNeeds, memory: Memory): Promise<boolean> {
  const { run, task } = sight;
  const executor = await needs.executor(run.body.executor);
  if (!executor || !task) return finish([sight], needs, memory);
  const before = run.body.watch ?? (await firstWatch(run.body, task, needs));
  const { watch } = await seenUntil(run.body, before, executor, { needs, final: false });
  // What cannot be read, or never ends, is no reason to wait.
  if (watch.offset === before.offset) return finish([sight], needs, memory);
  await needs.store.commit([
    runs.put({ ...run.body, updatedAt: needs.now(), watch: { ...watch, asks: before.asks } }, run.version),
  ]);
  return true;
}

/** Runs that are over: what can be said of each is gathered by itself, so that none holds up or spoils the others. */
async function finish(sights: readonly Sight[], needs: SuperviseNeeds, memory: Memory): Promise<boolean> {
  const gathered = await Promise.allSettled(sights.map((sight) => lastOf(sight, needs, memory)));
  const over = gathered.flatMap((one) => (one.status === 'fulfilled' && one.value ? [one.value] : []));
  const settled = over.length === 0 ? [] : await settleAll(over, needs);
  for (const runId of settled) {
    memory.seenAt.delete(runId);
    memory.swept.delete(runId);
  }
  const noted = over.filter(({ runId }) => settled.includes(runId)).map(({ last }) => needs.noted(last));
  for (const note of await Promise.allSettled(noted))
    if (note.status === 'rejected') needs.log('notes.failed', { error: String(note.reason) });
  const failed = gathered.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  return settled.length > 0;
}

interface Last extends Ended {
  readonly last: Run;
}

/** Whatever is left of its tree goes, and the rest of its output is read; undefined when something of it still is there. */
async function lastOf({ run, task, look }: Sight, needs: SuperviseNeeds, memory: Memory): Promise<Last | undefined> {
  if (look.state === 'unclaimed' && !(await needs.runner.forestall(run.body.id))) return undefined;
  if (look.state !== 'unclaimed' && !(await isSwept(run.body, needs, memory))) return undefined;
  const ran = look.state !== 'unclaimed' && look.state !== 'never';
  const left = task ? await needs.leaveBehind(run.body, task, ran) : NOTHING;
  if (!left) return undefined;
  const watch = task ? await lastWatch(run.body, task, look, needs) : run.body.watch;
  const facts = factsOf(look);
  const last: Run = { ...run.body, ...(watch ? { watch } : {}) };
  const { outcome, detail } = outcomeOf(last, facts);
  if (outcome === 'output_limit') await needs.runner.trim(run.body.id, needs.rules().spoolBytes);
  const quiet = saidNothing(last, facts);
  const ending: Ending = {
    outcome: quiet && (task?.attempts ?? 0) > 1 ? 'blocked' : outcome,
    ...(detail === undefined ? {} : { detail }),
    exit: facts.exit,
    watch,
    retryInMs: untilReset(watch, needs) ?? (quiet ? 0 : retryDelayMs(outcome, task?.attempts ?? 1, needs.jitter())),
    proved: task !== undefined && (await nothingToProve(task, needs)),
    kept: left.kept,
    report: left.report?.(watch, outcome),
    neverRan: hasNeverRun(run.body, look),
  };
  return { runId: run.body.id, ending, last };
}

/** A run that was seen alive has run, also when a loss of power has taken its directory: it may be what took its host down. */
const hasNeverRun = ({ phase }: Run, { state }: Look): boolean =>
  phase.state === 'claimed' && (state === 'never' || state === 'unclaimed');

/** Mostly nothing is left, which takes one look; helpers that will not go are waited for beside the turn. */
const SWEEP_MS = 50;

async function isSwept(run: Run, needs: SuperviseNeeds, memory: Memory): Promise<boolean> {
  if (memory.swept.has(run.id)) return true;
  const isNew = !memory.ladders.has(run.id);
  climb(run, needs, memory);
  if (isNew) await Promise.race([memory.ladders.get(run.id), new Promise((resolve) => setTimeout(resolve, SWEEP_MS))]);
  return memory.swept.has(run.id);
}

const NOTHING: Left = {};

const factsOf = (look: Look) =>
  look.state === 'ended'
    ? { exit: look.exit, reason: look.reason }
    : look.state === 'unclaimed' || look.state === 'never'
      ? { reason: 'it was never started' }
      : {};

async function lastWatch(run: Run, task: Task, look: Look, needs: SuperviseNeeds): Promise<Watch | undefined> {
  const executor = await needs.executor(run.executor);
  if (!executor || look.state === 'unclaimed' || look.state === 'never') return run.watch;
  let watch = run.watch ?? (await firstWatch(run, task, needs));
  if (run.phase.state === 'ending' && run.phase.outcome === 'output_limit')
    return { ...watch, droppedBytes: watch.droppedBytes + Math.max(0, ('outBytes' in look ? look.outBytes : 0) - watch.offset) };
  for (;;) {
    const seen = await seenUntil(run, watch, executor, { needs, final: true });
    if (seen.watch.offset === watch.offset) break;
    watch = { ...seen.watch, asks: watch.asks };
  }
  const exit = look.state === 'ended' ? executor.exit(watch.state, look.exit) : [];
  return stepped(watch, { state: watch.state, events: watch.verdict === undefined ? exit : [], send: [] });
}

/** A provider that said when it will work again is asked then, and not before. */
const untilReset = (watch: Watch | undefined, needs: SuperviseNeeds): number | undefined =>
  watch?.limitedUntil === undefined ? undefined : Math.max(0, msOf(watch.limitedUntil) - msOf(needs.now()));

/** Work in place has no branch to verify or merge; a project's verify command still decides. */
async function nothingToProve(task: Task, { store }: SuperviseNeeds): Promise<boolean> {
  if (!task.projectId) return true;
  if (task.work) return false;
  return (await projects.get(store, task.projectId))?.body.verify === undefined;
}
