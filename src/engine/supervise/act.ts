import { basename } from 'node:path';
import type { Executor, Job, Launch } from '../../domain/agent/executor.ts';
import { isFault } from '../../domain/fault.ts';
import { isMachineError } from '../../domain/machine-error.ts';
import { exhaustedBudget, overSharedBudget } from '../../domain/run/budget.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Block, Task } from '../../domain/task/task.ts';
import { budgetsBefore } from '../../store/queries/shared-budgets.ts';
import { changeWrites } from '../../store/records/journal.ts';
import { runs } from '../../store/records/runs.ts';
import { settle } from '../settle.ts';
import { PATIENCE_MS, reasonOf } from '../work/trouble.ts';
import { budgetBlock } from './blocks.ts';
import { outOfBounds } from './bounds.ts';
import { takeAnswers } from './converse.ts';
import type { ObservedRun, SuperviseAction } from './decide.ts';
import type { RunStart, SuperviseDeps } from './deps.ts';
import { endRun, terminateTree } from './end-run.ts';
import { catchUp, finish } from './finish.ts';
import type { SuperviseMemory } from './memory.ts';
import { firstWatch, read } from './read.ts';

export async function act(action: SuperviseAction, needs: SuperviseDeps, memory: SuperviseMemory): Promise<boolean> {
  switch (action.type) {
    case 'start':
      memory.picture.begins(action.sight.run.body.id);
      return startInTime(action.sight, needs, memory);
    case 'adopt':
      return adopt(action.sight, needs);
    case 'ingest':
      return read(action.sight, needs, memory);
    case 'hangUp':
      return closeInput(action.sight, needs, memory);
    case 'end':
      await needs.store.commit(endRun(action.sight.run, action, needs, memory), { flush: true });
      terminateTree(action.sight.run.body, needs, memory, { atOnce: action.atOnce ?? false });
      return true;
    case 'ladder':
      terminateTree(action.sight.run.body, needs, memory, { atOnce: action.atOnce ?? false });
      return false;
    case 'catchUp':
      return catchUp(action.sight, needs, memory);
    case 'finish':
      return finish(action.sights, needs, memory);
  }
}

/** Tries of what will most likely be the same again. */
const MOST_TRIES = 8;

/** What cannot be started rests and is tried again; after a while it gives its place back, and says why. */
async function startInTime(sight: ObservedRun, needs: SuperviseDeps, { setbacks }: SuperviseMemory): Promise<boolean> {
  const { id, taskId } = sight.run.body;
  if (!setbacks.isDue(id)) return false;
  try {
    const acted = await start(sight, needs);
    if (acted) setbacks.over(id);
    return acted;
  } catch (error) {
    if (isFault(error, 'conflict')) throw error;
    const { times, forMs } = setbacks.note(id, error, { taskId, runId: id });
    if (isMachineError(error) ? forMs < PATIENCE_MS : times < MOST_TRIES) return false;
    const what = `it could not be started: ${reasonOf(error)}`;
    await giveUp(sight.run.body, what, needs, { cause: 'setup', who: 'you', what });
    return true;
  }
}

/** The intent is the claim itself, already durable; arbitration in the run directory lets it begin at most once. */
async function start({ run, task }: ObservedRun, needs: SuperviseDeps): Promise<boolean> {
  const executor = await needs.executor(run.body.executor);
  const spent = task && (exhaustedBudget(task) ?? overSharedBudget(await budgetsBefore(run.body, task, needs.store)));
  if (task && spent) {
    await giveUp(run.body, spent, needs, budgetBlock(task.id, spent));
    return true;
  }
  if (!executor || !task) {
    await giveUp(run.body, task ? `no executor ${run.body.executor} on this machine` : 'its task is gone', needs);
    return true;
  }
  const outside = await outOfBounds(run.body, task, needs);
  if (outside) {
    await giveUp(run.body, outside.what, needs, outside);
    return true;
  }
  const loose = run.body.chore ? undefined : looseness(task, executor);
  if (loose) {
    await giveUp(run.body, loose, needs);
    return true;
  }
  const placed = await needs.place(run.body, task);
  if (placed.state === 'impossible') {
    await giveUp(run.body, placed.block.what, needs, placed.block);
    return true;
  }
  if (placed.state === 'later') return false;
  const prepared = await needs.prepare(run.body, task, executor).catch(unlessInvalid);
  if (typeof prepared === 'string') {
    await giveUp(run.body, prepared, needs);
    return true;
  }
  const { job, env, steps, remark } = prepared;
  const launch = launched(executor, job);
  if (typeof launch === 'string') {
    await giveUp(run.body, launch, needs);
    return true;
  }
  const plain: RunStart = {
    mode: launch.mode,
    command: launch.command,
    args: launch.args,
    ...(launch.programs ? { programs: launch.programs } : {}),
    directory: job.workDirectory,
    env: { ...env, ...launch.env },
    files: [...launch.files, { name: basename(job.promptFile), text: job.prompt }],
    steps,
  };
  const confined = task.sandbox ? await needs.confine(run.body, task, plain) : { start: plain };
  if ('why' in confined) {
    await giveUp(run.body, confined.why, needs);
    return true;
  }
  await needs.runner.start(run.body.id, confined.start);
  // What waited stands in its prompt.
  const sent = task.messages.filter(({ state }) => state === 'waiting').map(({ n }) => n);
  const note = remark === undefined ? undefined : { what: 'comment', why: remark, data: { run: run.body.id } };
  if (sent.length > 0 || note) await needs.store.commit(await takeAnswers(task, { heard: [], sent, note }, needs));
  return true;
}

/** Why a restriction that somebody asked for, of the task or of one it is a part of, would be none; what its kind suggests is not one. */
function looseness(task: Task, { name, can }: Executor): string | undefined {
  const isAsked = task.tools !== undefined || (task.preset !== undefined && task.preset !== 'full');
  if (!isAsked || can.tools) return undefined;
  return `${name} cannot be held to some tools: take --tools and --preset away, or choose an executor that can (fleet executor list)`;
}

/** What a person has described wrongly stays wrong until they mend it. */
function unlessInvalid(error: unknown): string {
  if (isFault(error, 'invalid')) return error.message;
  throw error;
}

/** Or why its executor cannot: it would not at the next attempt either. */
function launched(executor: Executor, job: Job): Launch | string {
  try {
    return executor.launch(job);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Written down before it is done: how a program goes that was told to go says nothing of its work. */
async function closeInput({ run }: ObservedRun, needs: SuperviseDeps, { hungUp }: SuperviseMemory): Promise<boolean> {
  const { watch } = run.body;
  if (watch && !watch.inputEnded) {
    await needs.store.commit([
      runs.put({ ...run.body, updatedAt: needs.now(), watch: { ...watch, inputEnded: true } }, run.version),
    ]);
    return true;
  }
  if (await needs.runner.closeInput(run.body.id)) hungUp.add(run.body.id);
  return false;
}

/** A run that cannot be started must not be started later by anybody either. */
async function giveUp(run: Run, why: string, needs: SuperviseDeps, block?: Block): Promise<void> {
  if (!(await needs.runner.preventStart(run.id))) return;
  const outcome = block?.cause === 'budget' ? 'over_budget' : block ? 'blocked' : 'refused';
  await settle(run.id, { outcome, detail: why, retryInMs: 0, block }, needs);
}

async function adopt({ run, look, task }: ObservedRun, needs: SuperviseDeps): Promise<boolean> {
  if (look.state !== 'alive' || !task) return false;
  const at = needs.now();
  const watch = run.body.watch ?? (await firstWatch(run.body, task, needs));
  const next: Run = { ...run.body, updatedAt: at, phase: { state: 'running', since: at, ...look.identity }, watch };
  const note = { what: 'started', data: { agent: look.identity.agent.pid } };
  await needs.store.commit(changeWrites(runs, run, next, { author: { by: `host ${needs.hostName}`, at }, note }));
  return true;
}
