import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Job } from '../domain/agent/executor.ts';
import { toolsOf } from '../domain/agent/tools.ts';
import { Fault } from '../domain/fault.ts';
import { isFirstExecutor } from '../domain/task/failover.ts';
import type { Executors } from '../operations/scope.ts';
import type { ExecutorRegistry } from './executor-registry.ts';

/** How the programs on this machine are started for a person. */
export function interactiveStarts(shelf: ExecutorRegistry): Executors['interactive'] {
  return async ({ task, run, session, directory, files }) => {
    const executor = await shelf.named(run.executor);
    if (!executor?.interactive) return undefined;
    const { program } = executor;
    if (!(await shelf.all()).has(run.executor))
      throw new Fault('unavailable', `${program?.command ?? run.executor} is not on this machine`, {
        ...(program ? { hint: program.install } : {}),
      });
    const job: Job = {
      taskId: task.id,
      runId: run.id,
      prompt: '',
      promptFile: join(files, 'prompt.txt'),
      resultFile: join(files, 'result.json'),
      runDirectory: files,
      workDirectory: directory,
      model: run.model,
      effort: run.effort ?? task.effort,
      systemPrompt: task.systemPrompt,
      tools: executor.can.tools ? toolsOf(task) : undefined,
      extraArgs: isFirstExecutor(task, run.executor) ? task.extraArgs : [],
      fork: false,
    };
    return executor.interactive(job, { session, hasPlaceSettings: holdsSettings(directory, program?.placeSettings) });
  };
}

/** Programs look for them in the directory and in those above it, up to the repository; looking too far up does no harm. */
function holdsSettings(directory: string, folder: string | undefined): boolean {
  if (folder === undefined) return false;
  if (existsSync(join(directory, folder))) return true;
  return !existsSync(join(directory, '.git')) && dirname(directory) !== directory && holdsSettings(dirname(directory), folder);
}
