import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Executor, Program } from '../domain/agent/executor.ts';
import { plainJob } from '../executors/kit/jobs.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The program as it is to be started: the native one beside a wrapper, else what is on the path; undefined where there is none. */
export const findProgram = (program: Program, env: Env): string | undefined => locateProgram(program, env)?.path;

export function locateProgram({ command, native }: Program, env: Env): { path: string; wrapper?: string } | undefined {
  const found = findCommand(command, env);
  if (found === undefined) return undefined;
  const own = native?.(realpathSync(found)).find(isExecutable);
  return own === undefined ? { path: found } : { path: own, wrapper: found };
}

export function findCommand(command: string, env: Env): string | undefined {
  if (isAbsolute(command)) return isExecutable(command) ? command : undefined;
  const directories = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  return directories.map((directory) => join(directory, command)).find(isExecutable);
}

let marked: { readonly path: string; readonly mark: string } | undefined;

/**
 * Another one after a file has come to a directory of the path or has left it. A few looks, no reading; and those once for each turn
 * of the loop, because every executor is looked for with every task.
 */
export function pathMark(env: Env): string {
  const path = env['PATH'] ?? '';
  if (marked?.path === path) return marked.mark;
  if (!marked)
    setImmediate(() => {
      marked = undefined;
    });
  marked = { path, mark: path.split(delimiter).map(changedAt).join() };
  return marked.mark;
}

function changedAt(directory: string): number | undefined {
  try {
    return statSync(directory, { throwIfNoEntry: false })?.mtimeMs;
  } catch {
    return undefined;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const commands = new WeakMap<Executor, { readonly command?: string }>();

/** The program an executor starts for an ordinary job; undefined when it cannot say. */
export function commandOf(executor: Executor): string | undefined {
  const known = commands.get(executor) ?? { ...asked(executor) };
  commands.set(executor, known);
  return known.command;
}

function asked(executor: Executor): { readonly command?: string } {
  try {
    return { command: executor.program?.command ?? executor.launch(plainJob).command };
  } catch {
    return {};
  }
}
