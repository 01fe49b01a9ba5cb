import { stat } from 'node:fs/promises';
import type { Program } from '../domain/agent/executor.ts';
import type { ExecutorHere } from '../operations/scope.ts';
import { credentialPlace } from './credential-place.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** By a variable or a file that is there; what is in it nobody reads. */
export async function signedIn(
  { keys, credentials, moved }: Program,
  env: Env,
): Promise<Pick<ExecutorHere, 'signedIn' | 'signedInBy'>> {
  if (keys.length === 0 && credentials.length === 0) return { signedIn: 'unknown' };
  const key = keys.find((name) => (env[name] ?? '') !== '');
  if (key !== undefined) return { signedIn: 'yes', signedInBy: key };
  for (const file of credentials.map((path) => credentialPlace(path, moved, env))) {
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() && found.size > 0) return { signedIn: 'yes', signedInBy: file };
  }
  return { signedIn: 'no' };
}
