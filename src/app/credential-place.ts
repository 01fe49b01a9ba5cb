import { homedir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import type { Program } from '../domain/agent/executor.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Under the home directory, or where the program was told to keep what it keeps there. */
export function credentialPlace(path: string, moved: Program['moved'], env: Env): string {
  const to = moved && env[moved.variable];
  const below = moved ? relative(moved.directory, path) : '..';
  if (to && !below.startsWith('..') && !isAbsolute(below)) return join(to, below);
  return join(env['HOME'] || homedir(), path);
}
