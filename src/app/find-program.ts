import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Program } from '../domain/agent/executor.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The program as it is to be started: the native one beside a wrapper, else what is on the path; undefined where there is none. */
export const findProgram = (program: Program, env: Env): string | undefined => locateProgram(program, env)?.path;

export function locateProgram({ command, native }: Program, env: Env): { path: string; wrapper?: string } | undefined {
  const found = onPath(command, env);
  if (found === undefined) return undefined;
  const own = native?.(realpathSync(found)).find(isExecutable);
  return own === undefined ? { path: found } : { path: own, wrapper: found };
}

function onPath(command: string, env: Env): string | undefined {
  if (isAbsolute(command)) return isExecutable(command) ? command : undefined;
  const directories = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  return directories.map((directory) => join(directory, command)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
