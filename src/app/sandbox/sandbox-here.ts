import { findProgram } from '../../platform/ask-version.ts';
import { type Probed, probe } from '../../sandbox/probe.ts';
import { installer } from './installer.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type Here =
  | { readonly path: string; readonly works: true }
  | (Exclude<Probed, { works: true }> & { readonly path?: string });

const working = new Set<string>();

/** Whether a sandbox can be made on this machine. What works is not tried again; what does not may have been repaired. */
export async function sandboxHere(env: Env): Promise<Here> {
  const path = await findProgram('bwrap', env);
  if (path === undefined) return { works: false, why: 'bubblewrap was not found', repair: `${await installer(env)} bubblewrap` };
  const probed: Probed = working.has(path) ? { works: true } : await probe(path);
  if (probed.works) working.add(path);
  return { ...probed, path };
}
