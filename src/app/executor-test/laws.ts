import { pathToFileURL } from 'node:url';
import type { Executor } from '../../domain/agent/executor.ts';
import { lawsOf } from '../../executors/kit/laws.ts';
import { transcriptsIn } from '../../executors/kit/transcripts.ts';
import type { Check } from '../../surfaces/cli/views/executor/test.ts';
import type { AddedExecutor } from '../custom-executors.ts';

/** What every executor keeps, tried without its program; recorded lines beside its file are replayed. */
export async function* lawChecks(executor: Executor, added: AddedExecutor | undefined): AsyncGenerator<Check> {
  const subject = added?.kind === 'module' ? await asItIs(added.file) : executor;
  const transcripts = added ? transcriptsIn(added.file.replace(/[.]\w+$/, '.transcripts')) : [];
  for (const { title, check } of lawsOf({ executor: subject, transcripts })) yield tried(title, check);
}

/** Without the guards that the engine puts around it: its author wants to see what it does by itself. */
async function asItIs(file: string): Promise<Executor> {
  const { default: made } = (await import(pathToFileURL(file).href)) as { default: Executor };
  return made;
}

function tried(name: string, holds: () => void): Check {
  try {
    holds();
    return { name, result: 'passed' };
  } catch (error) {
    return { name, result: 'failed', why: error instanceof Error ? error.message : String(error) };
  }
}
